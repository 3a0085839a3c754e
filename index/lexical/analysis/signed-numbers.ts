/**
 * Numbers with their sign, which are identifiers: `§ 626 BGB`, `CVE-2020-0796`, `RFC 8058`, `exit code 137`, `Art. 6 DSGVO`. The
 * number alone occurs anywhere. They are indexed beside the words, in one form for all spellings.
 */

export interface SignedNumber {
  /** `§626`, `626bgb`, `cve2020-0796`, `rfc8058`, `exit137`. */
  readonly name: string;
  /** UTF-16 offsets of the number. */
  readonly from: number;
  readonly to: number;
}

const NUMBER = /(?<![\p{L}\d.,])\d{1,7}(?:-\d{3,7})?(?!\d|[.,]\d)/gu;
/** Characters before a number, and behind it, that are read. */
const AROUND = 32;
/** Words and signs that make an identifier of any number, each with its one form. */
const SIGN =
  /(?:(§)|\b(?:(paragra(?:f|ph)e?n?)|(art(?:ikel|icle|\.)?)|(sec(?:tion|\.))|(exit(?:ed with)?(?:[\s-](?:code|status))?)|(error(?:[\s-]code)?)|(http(?:[\s-]status)?(?:[\s-]code)?)|(rule|regel|pep|jep|eip|erc|bip)))[\s\u00a0_-]{0,2}$/iu;
const FORMS = ['§', '§', 'art', 'section', 'exit', 'error', 'http'];
/** An abbreviation of letters in capitals, before a number of three digits or more. */
const ABBREVIATION = /(?<![\p{L}\d])(\p{Lu}{2,6})[\s\u00a0_-]{1,2}$/u;
const ANY_WORD = /(?<![\p{L}\d])(\p{L}{2,6})[\s\u00a0_-]{1,2}$/u;
/** A law behind its paragraph: two capitals at least, `BGB`, `StGB`, `DSGVO`. */
const LAW =
  /^(?:[\s\u00a0_-]+(?:Abs|S|Satz|Nr|lit)\.?[\s\u00a0]*\p{L}?\d*\)?)*[\s\u00a0_-]+(\p{Lu}\p{Ll}{0,3}\p{Lu}[\p{L}]{0,5})(?![\p{L}\d])/u;
const ANY_LAW = /^(?:[\s_-]+(?:abs|satz|nr)\.?\s*\d*)*[\s\u00a0_-]+(\p{L}{2,7})(?![\p{L}\d])/iu;
const LEAST_DIGITS = 3;

/** `anyCase`: abbreviations are also read in small letters, as in a name or a query. */
export function signedNumbers(text: string, { anyCase = false } = {}): SignedNumber[] {
  const found: SignedNumber[] = [];
  for (const { 0: number, index } of text.matchAll(NUMBER)) {
    const to = index + number.length;
    const before = text.slice(Math.max(0, index - AROUND), index);
    const sign = signIn(before, number, anyCase);
    if (sign !== null) found.push({ name: sign + number, from: index, to });
    const after = text.slice(to, to + AROUND);
    const [, law] = (anyCase ? ANY_LAW : sign === '§' || sign === 'art' ? LAW : NEVER).exec(after) ?? [];
    if (law !== undefined) found.push({ name: number + law.toLowerCase(), from: index, to });
  }
  return found;
}

const NEVER = /^(?!)/;

function signIn(before: string, number: string, anyCase: boolean): string | null {
  const sign = SIGN.exec(before);
  if (sign !== null) {
    const at = sign.slice(1).findIndex((group) => group !== undefined);
    return FORMS[at] ?? sign[at + 1]!.toLowerCase();
  }
  if (number.length < LEAST_DIGITS) return null;
  return (anyCase ? ANY_WORD : ABBREVIATION).exec(before)?.[1]?.toLowerCase() ?? null;
}
