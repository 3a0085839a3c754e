/**
 * Redacts the arguments of a call for the log: cuts long strings and lists, and masks everything that looks like a
 * credential. The paths that the operator configures are masked by pino (`audit.ts`).
 */

/** Replaces a masked value. */
export const MASK = '[redacted]';

/** Names of members that probably hold credentials; plurals are counts (`maxTokens`). */
const SECRET_NAME =
  /(?:authorization|cookie|passw(?:or)?d|passphrase|pwd|secret|token|api[-_]?key|private[-_]?key|credentials?)$/i;
/** Tokens of skillgate, bearer headers, JWTs, keys of well-known services, private keys, credentials in URLs. */
const SECRET_TEXT =
  /sgt_[\w-]{20,}|\bbearer\s+[\w.~+/-]{8,}=*|\beyJ[\w-]{8,}\.[\w-]+\.[\w-]*|\b(?:gh[pousr]|github_pat|glpat|sk|xox[abprs])[-_][\w-]{16,}|\bAKIA[0-9A-Z]{16}\b|-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*|(?<=:\/\/)[^\s/@:]+:[^\s/@]+(?=@)/gi;

/** Limits of a logged value: characters per string, members or elements per level, levels. */
const MAX_CHARACTERS = 500;
const MAX_MEMBERS = 30;
const MAX_DEPTH = 5;

/** A copy that is safe and small enough to log. Takes any value and never throws. Undefined for what is not data. */
export function loggable(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return cut(value.slice(0, 4 * MAX_CHARACTERS).replace(SECRET_TEXT, MASK));
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
    .map(([name, member]) => [cut(name), SECRET_NAME.test(name) ? MASK : loggable(member, depth + 1)]);
  return Object.fromEntries(members);
}

const isPlain = (value: object) => [Object.prototype, null].includes(Object.getPrototypeOf(value));

const cut = (text: string) =>
  text.length > MAX_CHARACTERS ? `${text.slice(0, MAX_CHARACTERS).toWellFormed()}…` : text;
