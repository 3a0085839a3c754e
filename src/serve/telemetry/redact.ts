/**
 * Redacts the arguments of a call for the log: cuts long strings and lists, and masks everything that looks like a
 * credential. The paths that the operator configures are masked by pino (`audit.ts`).
 */

import { parseJson } from '../../base/json.ts';
import { isSecret, withoutSecrets } from '../../base/redaction/redact.ts';

/** Replaces a masked value. */
export const MASK = '[redacted]';

/** Limits of a logged value: characters per string, members or elements per level, levels. */
const MAX_CHARACTERS = 500;
const MAX_MEMBERS = 30;
const MAX_DEPTH = 5;
/** Characters of a text that is read as JSON. */
const MAX_JSON = 100_000;

/** A copy that is safe and small enough to log. Takes any value and never throws. Undefined for what is not data. */
export function loggable(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') {
    // Members of JSON inside of a text have names, too.
    const inside = value.length <= MAX_JSON && /^\s*[[{]/.test(value) ? parseJson(value) : undefined;
    const text = inside instanceof Object ? JSON.stringify(loggable(inside, depth + 1)) : value;
    return cut(withoutSecrets(text.slice(0, 4 * MAX_CHARACTERS), MASK));
  }
  if (typeof value === 'number' || typeof value === 'boolean' || value === null) return value;
  if (typeof value !== 'object') return undefined;
  if (depth >= MAX_DEPTH) return '…';
  if (Array.isArray(value)) {
    const shown = value.slice(0, MAX_MEMBERS).map((element) => loggable(element, depth + 1));
    return value.length > MAX_MEMBERS ? [...shown, `… ${value.length - MAX_MEMBERS} more`] : shown;
  }
  // An AbortSignal or a stream is not data.
  if (!isPlain(value)) return undefined;
  const members = Object.entries(value)
    .slice(0, MAX_MEMBERS)
    .map(([name, member]) => [
      cut(withoutSecrets(name, MASK)),
      isSecret(name, member) ? MASK : loggable(member, depth + 1),
    ]);
  return Object.fromEntries(members);
}

const isPlain = (value: object) => [Object.prototype, null].includes(Object.getPrototypeOf(value));

const cut = (text: string) =>
  text.length > MAX_CHARACTERS ? `${text.slice(0, MAX_CHARACTERS).toWellFormed()}…` : text;
