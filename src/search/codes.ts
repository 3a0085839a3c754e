/**
 * Codes of a query: error numbers, identifiers, paragraphs, versions of standards (`CVE-2021-44228`, `exit code 137`, `§ 626 BGB`,
 * `MUJOCO_EGL_DEVICE_ID`). One that only a few skills write is evidence of its own, wherever they write it.
 */

import type { LexicalQuery } from '../../index/lexical/query/query.ts';
import type { Reader } from '../../index/reader/reader.ts';

/** Three digits, a digit beside a letter, or a word of code. */
const CODE = /\d\D*\d\D*\d|\p{L}\d|\d\p{L}|_|\p{Ll}\p{Lu}|\p{Lu}{2}\p{Ll}+\p{Lu}/u;
/** A code is in at most so many skills, or this share of them. */
const FEW = 3;
const FEW_OF = 0.001;
/** Evidence of a number with its sign, compared with another code: it seldom occurs by chance. */
const SIGNED = 2;

const isCode = ({ words }: LexicalQuery['terms'][number]) => words.some((word) => CODE.test(word));

/**
 * For each candidate the share of the query's codes, by weight, that it has, 0–1, and up to `SIGNED` for numbers with their sign.
 * `byTerm` as in `FirstSignals`. A number with its sign (`exit code 137`) is one code: the number elsewhere is none.
 */
export function codeShares(
  words: LexicalQuery,
  byTerm: Float32Array,
  ordinals: Uint32Array,
  { lexical, documents }: Pick<Reader, 'lexical' | 'documents'>,
): Float32Array {
  const { terms, identifiers } = words;
  const shares = new Float32Array(ordinals.length);
  const most = Math.max(FEW, FEW_OF * documents);
  const signed = identifiers.filter(({ number }) => number !== undefined);
  const isSigned = ({ from, to }: LexicalQuery['terms'][number]) =>
    signed.some(({ number }) => number!.from >= from && number!.to <= to);
  // The year of a code that no skill has is no evidence.
  const unknown = terms.filter(isUnknownCode);
  const isOfUnknown = ({ from, to }: LexicalQuery['terms'][number]) =>
    unknown.some((code) => code.from <= from && code.to >= to);
  const isRare = (term: LexicalQuery['terms'][number]) =>
    term.frequency > 0 && term.frequency <= most && isCode(term) && !isSigned(term) && !isOfUnknown(term);
  const places = terms.flatMap((term, at) => (isRare(term) ? at : []));
  const rare = signed.filter(({ frequency }) => frequency <= most);
  const whole =
    places.reduce((sum, place) => sum + terms[place]!.weight, 0) +
    rare.reduce((sum, { weight }) => sum + weight, 0);
  for (let at = 0; at < ordinals.length; at += 1)
    for (const place of places)
      if (byTerm[at * terms.length + place]! > 0) shares[at]! += terms[place]!.weight / whole;
  for (const one of rare)
    lexical.identifierShares({ ...words, identifiers: [one] }, ordinals).forEach((share, at) => {
      if (share > 0) shares[at]! += (SIGNED * one.weight) / whole;
    });
  return shares;
}

const isUnknownCode = (term: LexicalQuery['terms'][number]) => term.frequency === 0 && isCode(term);

/** Whether the query has a code that no document has. */
export const hasUnknownCode = ({ terms }: Pick<LexicalQuery, 'terms'>) => terms.some(isUnknownCode);

/** Most words that an answer names, and most characters of one. */
const NAMED = 3;
const NAMED_CHARACTERS = 60;
/** Scripts whose words are not apart: a whole sentence would be named. */
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;

/** Words and codes of a query that no document has, as the query writes them, the weightiest first. */
export function unknownWords({ terms, text }: Pick<LexicalQuery, 'terms' | 'text'>): readonly string[] {
  const parts = [...text.matchAll(/\S+/g)];
  const written = terms
    .filter(({ term, frequency }) => frequency === 0 && !UNSPACED.test(term))
    .sort((a, b) => Number(isCode(b)) - Number(isCode(a)) || b.weight - a.weight)
    .map(({ from }) => parts.findLast(({ index }) => index <= from)?.[0] ?? '')
    .map((part) => part.replace(/^[^\p{L}\p{N}§]+|[^\p{L}\p{N}]+$/gu, ''));
  return [...new Set(written)].filter(({ length }) => length <= NAMED_CHARACTERS).slice(0, NAMED);
}
