/**
 * What of a call's arguments may be written down: strings and lists cut short, whatever looks like a credential masked
 * wherever it stands. What the operator wants left out beside that are paths, which pino masks (`audit.ts`).
 */

/** What stands in the place of what is left out. */
export const MASK = '[redacted]';

/** Members whose values are credentials in all likelihood; plurals are counts (`maxTokens`). */
const SECRET_NAME =
  /(?:authorization|cookie|passw(?:or)?d|passphrase|pwd|secret|token|api[-_]?key|private[-_]?key|credentials?)$/i;
/** Our own tokens, bearer headers, JWTs, keys of well-known services, private keys, credentials in URLs. */
const SECRET_TEXT =
  /sgt_[\w-]{20,}|\bbearer\s+[\w.~+/-]{8,}=*|\beyJ[\w-]{8,}\.[\w-]+\.[\w-]*|\b(?:gh[pousr]|github_pat|glpat|sk|xox[abprs])[-_][\w-]{16,}|\bAKIA[0-9A-Z]{16}\b|-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*|(?<=:\/\/)[^\s/@:]+:[^\s/@]+(?=@)/gi;

/** Most characters of a string, members or elements of one value, and levels of it. */
const MAX_CHARACTERS = 500;
const MAX_MEMBERS = 30;
const MAX_DEPTH = 5;

/** A copy that is safe and small enough to be logged. Takes whatever was sent; never throws. */
export function loggable(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return cut(value.slice(0, 4 * MAX_CHARACTERS).replace(SECRET_TEXT, MASK));
  if (typeof value === 'number' || typeof value === 'boolean' || value === null) return value;
  if (typeof value !== 'object') return undefined;
  if (depth >= MAX_DEPTH) return '…';
  if (Array.isArray(value)) {
    const shown = value.slice(0, MAX_MEMBERS).map((element) => loggable(element, depth + 1));
    return value.length > MAX_MEMBERS ? [...shown, `… ${value.length - MAX_MEMBERS} more`] : shown;
  }
  const members = Object.entries(value)
    .slice(0, MAX_MEMBERS)
    .map(([name, member]) => [cut(name), SECRET_NAME.test(name) ? MASK : loggable(member, depth + 1)]);
  return Object.fromEntries(members);
}

const cut = (text: string) =>
  text.length > MAX_CHARACTERS ? `${text.slice(0, MAX_CHARACTERS).toWellFormed()}…` : text;
