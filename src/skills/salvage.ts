/** The last resort for front matter that is not YAML and cannot be repaired: name and description, line by line. */

const SALVAGED = /^(name|description)[ \t]*:[ \t]*(.*)$/i;
const OTHER_KEY = /^[A-Za-z_][\w.-]*[ \t]*:(?:\s|$)/;

/**
 * The first `name` and `description` at the beginning of a line, the description up to the next key. Missing ones
 * are absent.
 */
export function salvageLines(text: string): Map<string, string> {
  const found = new Map<string, string>();
  let open: string | null = null;
  for (const line of text.split('\n')) {
    const match = SALVAGED.exec(line);
    if (match !== null) {
      const key = (match[1] ?? '').toLowerCase();
      open = found.has(key) ? null : key;
      if (open !== null) found.set(open, (match[2] ?? '').replace(/^[|>][+-]?(?:\s|$)/, ''));
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

/** Removes surrounding quotes, if there are no others between them. */
export function unquoted(text: string): string {
  const quote = text[0];
  const paired = (quote === '"' || quote === "'") && text.indexOf(quote, 1) === text.length - 1;
  return paired ? text.slice(1, -1) : text;
}
