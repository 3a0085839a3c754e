/**
 * Words of the scripts that write no spaces between them (`characters.ts`), by the dictionaries of `Intl.Segmenter`.
 *
 * Korean writes spaces but adds endings to its words, so Hangul is indexed in overlapping pairs of characters. So are
 * single characters in sequence: usually a name that the dictionary does not have.
 */

import { widthAt } from './characters.ts';
import type { Run } from './run.ts';

/** Longest stretch that is segmented at once, UTF-16 units: longer than a sentence, and a bound for one without end. */
const LONGEST_STRETCH = 1_000;

const HANGUL = /\p{Script=Hangul}/u;
const HAN_OR_KANA = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー]/u;

/** Made at its first use: a catalog in English never needs it. The locale does not matter, the script decides. */
let segmenter: Intl.Segmenter | undefined;

/**
 * Calls `visit` for each word of the unspaced characters `text.slice(from, to)`, in order, with its offsets in the text. The
 * words of the runs add up to the number of pairs of characters: a text's length does not depend on the dictionary.
 */
export function eachUnspacedWord(
  text: string,
  from: number,
  to: number,
  visit: (run: Run, from: number, to: number) => void,
): void {
  let covered = from;
  const count = (terms: Terms, start: number, end: number) => {
    const characters = charactersIn(text, covered, end);
    // The last character begins no pair, unless it is alone.
    const words = end < to ? characters : Math.max(start === from ? 1 : 0, characters - 1);
    covered = end;
    visit({ ...terms, words, identifiers: [] }, start, end);
  };
  for (let start = from; start < to; ) {
    const end = endOfStretch(text, start, to);
    visitStretch(text, start, end, count);
    start = end;
  }
}

type Terms = Pick<Run, 'terms' | 'from' | 'to'>;

function endOfStretch(text: string, from: number, to: number): number {
  if (to - from <= LONGEST_STRETCH) return to;
  const end = from + LONGEST_STRETCH;
  return end - 1 + widthAt(text, end - 1);
}

function visitStretch(
  text: string,
  from: number,
  to: number,
  visit: (terms: Terms, from: number, to: number) => void,
): void {
  segmenter ??= new Intl.Segmenter('und', { granularity: 'word' });
  const visitPair = (pair: string, start: number, end: number) =>
    visit({ terms: [normalised(pair)], from: [0], to: [pair.length] }, start, end);
  /** Start of the characters that belong to no word so far. */
  let loose = from;
  for (const { segment, index } of segmenter.segment(text.slice(from, to))) {
    const start = from + index;
    const end = start + segment.length;
    if (widthAt(text, start) === segment.length || HANGUL.test(segment)) continue;
    eachPair(text, loose, start, visitPair);
    visit(termsOfWord(segment), start, end);
    loose = end;
  }
  eachPair(text, loose, to, visitPair);
}

/**
 * A word and, from three Chinese or Japanese characters on, its pairs: a text in which the word is part of a longer one
 * still matches, and so does one that another version of the dictionary cuts differently.
 */
function termsOfWord(word: string): Terms {
  const [terms, from, to] = [[normalised(word)], [0], [word.length]];
  if (HAN_OR_KANA.test(word))
    eachPair(word, 0, word.length, (pair, at, stop) => {
      if (pair === word) return;
      terms.push(normalised(pair));
      from.push(at);
      to.push(stop);
    });
  return { terms, from, to };
}

const normalised = (term: string) => term.normalize('NFKC');

function charactersIn(text: string, from: number, to: number): number {
  let characters = 0;
  for (let at = from; at < to; at += widthAt(text, at)) characters += 1;
  return characters;
}

/** Overlapping pairs of characters; a character without neighbours is visited alone. */
function eachPair(
  text: string,
  from: number,
  to: number,
  visit: (pair: string, from: number, to: number) => void,
): void {
  let at = from;
  let next = at < to ? at + widthAt(text, at) : to;
  if (at < to && next >= to) visit(text.slice(at, to), at, to);
  while (next < to) {
    const end = next + widthAt(text, next);
    visit(text.slice(at, end), at, end);
    at = next;
    next = end;
  }
}

/** Whether a term is a Chinese or Japanese word, which its pairs follow. */
export const isUnspaced = (term: string) => HAN_OR_KANA.test(term);
