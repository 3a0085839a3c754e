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
