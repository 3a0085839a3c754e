/** JSON that others wrote: read without throwing. What fields it must have is decided by the schema of each reader. */

/** Undefined where the text is not JSON: no schema of an object or a list accepts that. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** An object, not a list. */
export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const [QUOTE, BACKSLASH, OPEN_LIST, OPEN_OBJECT, CLOSE_LIST, CLOSE_OBJECT] = [34, 92, 91, 123, 93, 125];

/**
 * Whether lists and objects stand in one another more than `levels` deep; of text that is not JSON, any answer. Reading such text
 * takes ten times as long as any other of its length: a megabyte of brackets a tenth of a second.
 */
export function isDeeper(text: string, levels: number): boolean {
  let depth = 0;
  let isString = false;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) isString = !isString;
    else if (isString) at += code === BACKSLASH ? 1 : 0;
    else if (code === OPEN_LIST || code === OPEN_OBJECT) depth += 1;
    else if (code === CLOSE_LIST || code === CLOSE_OBJECT) depth -= 1;
    if (depth > levels) return true;
  }
  return false;
}

/** An object without its undefined members, so that those of an object before it survive: `{ ...defaults, ...defined(given) }`. */
export const defined = <Value extends object>(value: Value): Partial<Value> =>
  Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined)) as Partial<Value>;
