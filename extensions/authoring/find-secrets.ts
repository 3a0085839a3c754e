/**
 * Where a text holds secrets that someone could use: the rules that mask, less what is an example. Masking may hide too much;
 * here each place is reported to an author, so placeholders, expressions and addresses are left out.
 */

import { SECRET_RULES } from '../../src/base/redaction/redact.ts';

interface FoundSecret {
  /** Key of `SECRET_RULES`. */
  readonly rule: string;
  /** Offset of the secret, UTF-16 units. */
  readonly at: number;
  readonly length: number;
}

/** Rules that know a secret by what is before it: the value must look like one too. */
const BY_CONTEXT = new Set([
  'bearer-header',
  'basic-header',
  'authorization-value',
  'url-credentials',
  'curl-user',
  'assignment',
  'command-option',
]);
/** Names before a password, which people choose; everything else is random. */
const OF_PASSWORD = /(?:passw(?:or)?d|passphrase|pwd|:\/\/|\s(?:-u|--user))["']?\W{0,8}$/i;
/** Parts of values that documents show instead of a secret, such as `sk-your-key`, `abc123`, `a1b2c3`. */
const PLACEHOLDER =
  /x{4}|\*{3}|\.{3}|…|[<>{}$%[\]]|your|my[-_]|example|sample|placeholder|change|dummy|fake|mock|redacted|insert|replace|secret|p[a@]ss|token|todo|test|demo|foo|bar|here|admin|user|abc|xyz|123|4567|6789|b2c3|(.)\1{4}/i;
/** What its base64 must not say either. */
const PRINTABLE = /^[ -~]+$/;
/** Characters in a row that may be random, and bits of entropy that each must have. */
const RUN = /[A-Za-z0-9+/]{16,}/g;
const MIN_ENTROPY = 3;
/** Least characters of a password, and how many kinds of them: small and capital letters, digits, signs. */
const MIN_PASSWORD = 8;
const MIN_KINDS = 3;
const MIN_SIGNATURE = 20;

/** What a line with a secret has: a long word with a digit, or the name of a password. Few lines have it. */
const CANDIDATE =
  /(?=[A-Za-z+/]{0,15}\d)[A-Za-z0-9+/]{16}|passw|passphrase|pwd|:\/\/[^\s/@]{0,80}:[^\s/@]{1,80}@|-u[= ]|--user/i;
const { 'private-key': PRIVATE_KEY, ...OF_LINE } = SECRET_RULES;

/** In order of position; where several rules match, the first of `SECRET_RULES` counts. */
export function secretsIn(text: string): FoundSecret[] {
  const found: FoundSecret[] = [];
  const add = (rule: string, at: number, value: string) => {
    const isNew = !found.some((other) => at < other.at + other.length && other.at < at + value.length);
    if (isNew && isUsable(rule, value, text.slice(Math.max(0, at - 40), at)))
      found.push({ rule, at, length: value.length });
  };
  for (const { 0: value, index } of text.matchAll(PRIVATE_KEY!)) add('private-key', index, value);
  for (const { 0: line, index: start } of text.matchAll(/[^\n]+/g))
    if (CANDIDATE.test(line))
      for (const [rule, pattern] of Object.entries(OF_LINE))
        for (const { 0: value, index } of line.matchAll(pattern)) add(rule, start + index, value);
  return found.sort((a, b) => a.at - b.at);
}

function isUsable(rule: string, matched: string, before: string): boolean {
  // A real key has lines of base64 between its fences; an example has dots, or a line.
  if (rule === 'private-key')
    return (matched.match(/(?<=\\n|\s)[A-Za-z0-9+/=]{40,}(?=\\n|\s)/g)?.length ?? 0) >= 2;
  const value = matched.replace(/^["']|["']$/g, '');
  const decoded = Buffer.from(value, 'base64').toString('latin1');
  if (PLACEHOLDER.test(value) || (PRINTABLE.test(decoded) && PLACEHOLDER.test(decoded))) return false;
  if (rule === 'jwt') return value.length - value.lastIndexOf('.') > MIN_SIGNATURE;
  if (!BY_CONTEXT.has(rule)) return isRandom(value);
  const secret = value.slice(value.indexOf(':') + 1);
  // An expression, an address of a blockchain, or the name of a constant.
  if (!/^[\w+/=~!@#^&-]+$/.test(secret) || /^(?:0x[\da-fA-F]{40}|[A-Z_\d]+)$/.test(secret)) return false;
  return OF_PASSWORD.test(before)
    ? secret.length >= MIN_PASSWORD && countKinds(secret) >= MIN_KINDS
    : isRandom(secret);
}

/** Whether it has a run of letters and digits that no word has. */
const isRandom = (value: string) =>
  (value.match(RUN) ?? []).some(
    (run) => /\d/.test(run) && /[a-z]/i.test(run) && measureEntropy(run) >= MIN_ENTROPY,
  );

const countKinds = (value: string) =>
  [/[a-z]/, /[A-Z]/, /\d/, /[^A-Za-z\d]/].filter((kind) => kind.test(value)).length;

/** Bits of each character. */
function measureEntropy(value: string): number {
  const counts = new Map<string, number>();
  for (const character of value) counts.set(character, (counts.get(character) ?? 0) + 1);
  return [...counts.values()].reduce((sum, count) => {
    const share = count / value.length;
    return sum - share * Math.log2(share);
  }, 0);
}
