/**
 * Words of the scripts that write no spaces between them (`characters.ts`), by the dictionaries of `Intl.Segmenter`, and of
 * Korean, which writes spaces but adds endings to its words (`korean.ts`).
 *
 * A word is indexed whole, with the parts that are words of their own. Pairs of characters that only overlap are none: they say
 * nothing of what a text is about. Traditional characters are indexed as simplified ones, half-width kana as full-width ones.
 */

import traditional from 'opencc-js/dict/TSCharacters';
import { widthAt } from './characters.ts';
import { koreanStem } from './korean.ts';
import type { Run } from './run.ts';

/** Longest stretch that is segmented at once, UTF-16 units: longer than a sentence, and a bound for one without end. */
const LONGEST_STRETCH = 1_000;

/** Stretches of one way to find words. The long vowel belongs to the katakana before it. */
const PARTS_OF_STRETCH =
  /\p{Script=Katakana}[\p{Script=Katakana}ー]*|\p{Script=Hangul}+|[^\p{Script=Katakana}\p{Script=Hangul}]+/gu;
const KATAKANA = /^\p{Script=Katakana}/u;
const HANGUL = /^\p{Script=Hangul}/u;
const HAN_PAIR = /^\p{Script=Han}{2}$/u;
const HAN = /\p{Script=Han}/u;
const HAN_KANA_OR_HANGUL = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}ー]/u;
/** A Japanese verb or adjective: what precedes its ending. */
const JAPANESE_STEM = /^(.*\p{Script=Han}(?=\p{Script=Hiragana}+$)|\p{Script=Hiragana}{2,}(?=る$))/u;
/** Characters that are grammar alone, and part of no name. */
const PARTICLE =
  /^[\p{Script=Hiragana}的了和是在我你他她它们这那有不也就都而与及或把被对从到为以于之吗呢吧啊要会能可请用帮给让并当时想么个]$/u;

/** Made at its first use: a catalog in English never needs it. The locale does not matter, the script decides. */
let segmenter: Intl.Segmenter | undefined;
const segments = (text: string) => {
  segmenter ??= new Intl.Segmenter('und', { granularity: 'word' });
  return segmenter.segment(text);
};

type Terms = Pick<Run, 'terms' | 'from' | 'to'>;
type Visit = (terms: Terms, from: number, to: number) => void;

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
  const count: Visit = (terms, start, end) => {
    const characters = countCharacters(text, covered, end);
    // The last character begins no pair, unless it is alone.
    const words = end < to ? characters : Math.max(start === from ? 1 : 0, characters - 1);
    covered = end;
    visit({ ...terms, words, identifiers: [] }, start, end);
  };
  for (let start = from; start < to; ) {
    const end = endOfStretch(text, start, to);
    visitStretch(text.slice(start, end), (terms, wordFrom, wordTo) =>
      count(terms, start + wordFrom, start + wordTo),
    );
    start = end;
  }
  if (covered < to) count(NO_TERMS, covered, to);
}

const NO_TERMS: Terms = { terms: [], from: [], to: [] };

function endOfStretch(text: string, from: number, to: number): number {
  if (to - from <= LONGEST_STRETCH) return to;
  const end = from + LONGEST_STRETCH;
  return end - 1 + widthAt(text, end - 1);
}

function visitStretch(text: string, visit: Visit): void {
  if (text.normalize('NFKC') === text) visitNormalised(text, visit);
  else visitUnnormalised(text, visit);
}

/** Half-width kana and decomposed characters: found in the normal form, with the offsets of what is written. */
function visitUnnormalised(text: string, visit: Visit): void {
  const starts: number[] = [];
  let normal = '';
  for (const { segment, index } of new Intl.Segmenter('und', { granularity: 'grapheme' }).segment(text)) {
    const own = segment.normalize('NFKC');
    for (let at = 0; at < own.length; at += 1) starts.push(index);
    normal += own;
  }
  starts.push(text.length);
  const end = (at: number) => starts.find((start, place) => place >= at && start > starts[at - 1]!)!;
  visitNormalised(normal, (terms, from, to) => {
    const start = starts[from]!;
    visit(
      {
        terms: terms.terms,
        from: terms.from.map((at) => starts[from + at]! - start),
        to: terms.to.map((at) => end(from + at) - start),
      },
      start,
      end(to),
    );
  });
}

function visitNormalised(text: string, visit: Visit): void {
  for (const { 0: part, index } of text.matchAll(PARTS_OF_STRETCH))
    if (HANGUL.test(part)) visit(remembered(part, koreanTerms), index, index + part.length);
    else if (KATAKANA.test(part)) visit(remembered(part, katakanaTerms), index, index + part.length);
    else visitWords(part, (terms, from, to) => visit(terms, index + from, index + to));
}

/** Terms by what they are made of: words come again and again. */
const memory = new Map<string, Terms>();
const MOST_REMEMBERED = 20_000;
const LONGEST_REMEMBERED = 16;

function remembered(word: string, analyse: (word: string) => Terms): Terms {
  const known = memory.get(word);
  if (known !== undefined) return known;
  const terms = analyse(word);
  if (word.length > LONGEST_REMEMBERED) return terms;
  if (memory.size >= MOST_REMEMBERED) memory.clear();
  memory.set(word, terms);
  return terms;
}

/** Collects the distinct terms of a word. */
class TermsBuilder {
  readonly terms: string[] = [];
  readonly from: number[] = [];
  readonly to: number[] = [];

  add(term: string, from: number, to: number): this {
    if (this.terms.includes(term)) return this;
    this.terms.push(term);
    this.from.push(from);
    this.to.push(to);
    return this;
  }
}

/** Words of dictionaries; what they do not know, in pairs of characters. */
function visitWords(text: string, visit: Visit): void {
  /** Start of the characters that belong to no word so far. */
  let loose = 0;
  const visitLoose = (to: number) => {
    if (to > loose) visitName(text, loose, to, visit);
  };
  for (const { segment, index } of segments(text)) {
    const end = index + segment.length;
    const isLoose = widthAt(text, index) === segment.length;
    if (isLoose && !PARTICLE.test(simplified(segment))) continue;
    visitLoose(index);
    if (!isLoose) visit(remembered(segment, wordTerms), index, end);
    loose = end;
  }
  visitLoose(text.length);
}

/** Characters in sequence that no dictionary knows: usually a name. A long sequence is found by its pairs alone. */
function visitName(text: string, from: number, to: number, visit: Visit): void {
  const name = text.slice(from, to);
  const out = new TermsBuilder();
  if (name.length <= LONGEST_NAME) out.add(simplified(name), 0, name.length);
  eachPair(name, (pair, start, end) => out.add(simplified(pair), start, end));
  visit(out, from, to);
}

const LONGEST_NAME = 8;

/** A word, what precedes its Japanese ending, and the pairs of characters in it that are words themselves. */
function wordTerms(word: string): Terms {
  const out = new TermsBuilder().add(simplified(word), 0, word.length);
  const [, stem] = JAPANESE_STEM.exec(word) ?? [];
  if (stem !== undefined) out.add(simplified(stem), 0, word.length);
  if (HAN.test(word))
    eachPair(word, (pair, from, to) => {
      if (HAN_PAIR.test(pair) && isWord(pair)) out.add(simplified(pair), from, to);
    });
  return out;
}

function isWord(text: string): boolean {
  const [first] = segments(text);
  return first?.segment === text;
}

/** Shortest part of a katakana word. Shorter ones are what the dictionary cuts unknown words into. */
const SHORTEST_KATAKANA = 3;
/** A word of so many characters that is cut in no parts may still be a compound. */
const COMPOUND_KATAKANA = 7;
const LONGEST_KATAKANA = 40;

/** A loan word, and the words that it is composed of: `ピボットテーブル`, `ピボット`, `テーブル`. */
function katakanaTerms(word: string): Terms {
  const out = new TermsBuilder();
  if (word.length <= LONGEST_KATAKANA) out.add(withoutLongEnd(word), 0, word.length);
  let pieces = piecesOf(word);
  // The dictionary leaves an unknown compound whole, unless there is too much of it.
  if (pieces.length === 1 && word.length >= COMPOUND_KATAKANA && word.length <= LONGEST_KATAKANA)
    pieces = piecesOf(word + word).filter(([, to]) => to <= word.length);
  for (const [from, to] of pieces)
    if (to - from >= SHORTEST_KATAKANA) out.add(withoutLongEnd(word.slice(from, to)), from, to);
  return out;
}

/** Spans of a katakana word's parts; what is too short for a word goes with its neighbours. */
function piecesOf(word: string): (readonly [from: number, to: number])[] {
  const pieces: [number, number][] = [];
  let wasShort = false;
  for (const { segment, index } of segments(word)) {
    const isShort = segment.length < SHORTEST_KATAKANA;
    const last = pieces.at(-1);
    if (isShort && wasShort && last !== undefined) last[1] = index + segment.length;
    else pieces.push([index, index + segment.length]);
    wasShort = isShort;
  }
  return pieces;
}

/** サーバー and サーバ are one word. */
const withoutLongEnd = (word: string) => (word.length > SHORTEST_KATAKANA ? word.replace(/ー$/, '') : word);

/** Shortest part of a Korean compound, syllables. */
const SHORTEST_KOREAN = 2;
/** Longer words are texts without spaces: found by pairs of syllables. */
const LONGEST_KOREAN = 16;

/** A Korean word without its ending, with it, and the parts of what may be a compound: `회계장부를`, `회계`, `장부`. */
function koreanTerms(word: string): Terms {
  const out = new TermsBuilder();
  if (word.length > LONGEST_KOREAN) {
    eachPair(word, (pair, from, to) => out.add(pair, from, to));
    return out;
  }
  const stem = koreanStem(word);
  out.add(stem, 0, word.length).add(word, 0, word.length);
  // One syllable may be the end of a noun as well as a particle.
  const isSure = word.length - stem.length > 1;
  for (let at = SHORTEST_KOREAN; at < stem.length; at += 1) {
    out.add(word.slice(0, at), 0, at);
    if (stem.length - at >= SHORTEST_KOREAN) out.add(stem.slice(at), at, stem.length);
    if (!isSure && word.length - at >= SHORTEST_KOREAN) out.add(word.slice(at), at, stem.length);
  }
  return out;
}

function countCharacters(text: string, from: number, to: number): number {
  let characters = 0;
  for (let at = from; at < to; at += widthAt(text, at)) characters += 1;
  return characters;
}

/** Overlapping pairs of characters; a character alone is visited alone. */
function eachPair(text: string, visit: (pair: string, from: number, to: number) => void): void {
  let at = 0;
  let next = text === '' ? 0 : widthAt(text, 0);
  if (text !== '' && next >= text.length) visit(text, 0, text.length);
  while (next < text.length) {
    const end = next + widthAt(text, next);
    visit(text.slice(at, end), at, end);
    at = next;
    next = end;
  }
}

let simplifiedBy: ReadonlyMap<string, string> | undefined;

/** With simplified characters for traditional ones. */
export function simplified(text: string): string {
  if (!HAN.test(text)) return text;
  simplifiedBy ??= new Map(traditional.split('|').map((pair) => pair.split(' ') as [string, string]));
  let simple = '';
  for (const character of text) simple += simplifiedBy.get(character) ?? character;
  return simple;
}

/** Whether a term is a Chinese, Japanese or Korean word, which its parts follow. */
export const isUnspaced = (term: string) => HAN_KANA_OR_HANGUL.test(term);
