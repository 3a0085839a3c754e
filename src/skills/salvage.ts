/** The last resort for front matter that is no YAML and cannot be mended: name and description by their lines. */

const SALVAGED = /^(name|description)[ \t]*:[ \t]*(.*)$/i;
const OTHER_KEY = /^[A-Za-z_][\w.-]*[ \t]*:(?:\s|$)/;

/** The first `name` and `description` that begin a line, the description up to the next key; fewer where they are missing. */
export function salvageLines(text: string): Map<string, string> {
  const found = new Map<string, string>();
  let open: string | null = null;
  for (const line of text.split('\n')) {
    const match = SALVAGED.exec(line);
    if (match !== null) {
      const key = (match[1] ?? '').toLowerCase();
      open = found.has(key) ? null : key;
      if (open !== null) found.set(open, (match[2] ?? '').replace(/^[|>][+-]?(?:\s+|$)/, ''));
    } else if (OTHER_KEY.test(line)) {
      open = null;
    } else if (open === 'description') {
      found.set(open, `${found.get(open)} ${line.trim()}`);
    }
  }
  for (const [key, value] of found) {
    const text = unquoted(value.trim());
    if (text === '') found.delete(key);
    else found.set(key, text);
  }
  return found;
}

/** Without the quotes around it, where it has one at either end and none between. */
export function unquoted(text: string): string {
  const quote = text[0];
  const paired = (quote === '"' || quote === "'") && text.indexOf(quote, 1) === text.length - 1;
  return paired ? text.slice(1, -1) : text;
}
