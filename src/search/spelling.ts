/**
 * Spelling: a word of a query that nothing knows is searched as the word that was meant, if one is plain: few edits away, of
 * the kind that fingers make, and known to the catalog. A real word that the catalog lacks stays as it is: the nearest of all
 * words decides, in the catalog or not.
 */

import { analyze, fold, isGrammar } from '../../index/lexical/analysis/analyzer.ts';
import { type Stemmer, stemmerOf } from '../../index/lexical/language/stemmers.ts';
import type { LexicalSearch } from '../../index/lexical/query/search.ts';
import { hasWordWeight } from '../../index/lexical/query/word-weights.ts';
import { englishWords } from './dictionary.ts';
import names from './product-names.json' with { type: 'json' };
import { beginsAlike, edits, MAX_COST, typingCost } from './typing.ts';

/** A word of the query that is searched as another one. */
export interface Correction {
  readonly from: string;
  readonly to: string;
}

interface Respelled {
  /** The query with its corrections. */
  readonly text: string;
  readonly corrections: readonly Correction[];
}

export interface SpellingContext {
  readonly lexical: Pick<LexicalSearch, 'holds'>;
  /** The query's language if it is known; null if not. */
  readonly spoken: string | null;
  /** Language whose stems the catalog is searched by in addition to English ones. */
  readonly stems: string | null;
  /** Number of documents of the catalog. */
  readonly documents: number;
  /** Words that the model knows, the commonest first. Takes 20 ms the first time. */
  readonly words: () => readonly string[];
}

/** Letters with nothing around them that makes them part of a name, path, address or number. */
const WORD =
  /(?<![\p{L}\p{M}\p{N}_.@/\\#$~'’-])\p{L}[\p{L}\p{M}]{3,23}(?![\p{L}\p{M}\p{N}_@/\\#$~'’-]|\.\p{L}|[({[])/gu;
/** A capital that is not the first letter: an abbreviation, or a name from code. */
const CAPITAL_WITHIN = /.\p{Lu}/u;
/** Most words of a query that are looked at: each costs some milliseconds. */
const MAX_WORDS = 8;

/** A word of a query that is not known. */
interface Unknown {
  readonly word: string;
  /** Whether a few documents have it. */
  readonly isRare: boolean;
  /** Whether it is written as a name: with a capital within the sentence. */
  readonly isName: boolean;
}

export async function respelled(text: string, context: SpellingContext): Promise<Respelled> {
  const unknown = unknownIn(text, context);
  if (unknown.length === 0) return { text, corrections: [] };
  // The words of other languages are not here: their slips are found among the words of the catalog alone.
  const isEnglish = (context.spoken ?? context.stems ?? 'en') === 'en';
  const dictionary = isEnglish ? dictionaryOf(context.words(), await englishWords()) : NO_DICTIONARY;
  const corrections = unknown.flatMap(({ word, isRare, isName }): Correction[] => {
    if (dictionary.ranks.has(fold(word))) return [];
    const meant = meantBy(fold(word), { isRare, isName: isEnglish && isName }, dictionary, context);
    return meant === null ? [] : [{ from: word, to: meant }];
  });
  const meant = new Map(corrections.map(({ from, to }) => [from, to]));
  return { text: text.replace(WORD, (word) => meant.get(word) ?? word), corrections };
}

/** A word of fewer documents than this share may be a slip of theirs; one that so many times as many have was meant. */
const RARE = 1 / 2_000;
const MORE = 50;
const rareIn = (documents: number) => Math.max(1, Math.floor(RARE * documents));

function unknownIn(text: string, { lexical, stems, documents }: SpellingContext): Unknown[] {
  const stemmer = stemmerOf(stems);
  const least = rareIn(documents);
  const unknown: Unknown[] = [];
  for (const { 0: word, index } of text.matchAll(WORD)) {
    if (CAPITAL_WITHIN.test(word) || unknown.some((other) => other.word === word)) continue;
    const terms = termsOf(word, stemmer);
    const isKnown = (term: string) =>
      isGrammar(term, stems) || hasWordWeight(term) || lexical.holds(term, least);
    if (terms.length === 0 || terms.some(isKnown)) continue;
    const isRare = terms.some((term) => lexical.holds(term));
    unknown.push({ word, isRare, isName: index > 0 && /^\p{Lu}/u.test(word) });
    if (unknown.length === MAX_WORDS) break;
  }
  return unknown;
}

/** Terms of a word by which the catalog is searched; none for a stop word. */
const termsOf = (word: string, stemmer: Stemmer | null) => analyze(word, stemmer).map(({ term }) => term);

/** Words with what makes the search for near ones quick. */
interface Dictionary {
  readonly ranks: ReadonlyMap<string, number>;
  readonly words: readonly string[];
  /** For each word: bit n is set if it has the letter number n, modulo 32. */
  readonly letters: Uint32Array;
  /** Ranks of the words with this first letter and length, as `a7`. */
  readonly alike: ReadonlyMap<string, readonly number[]>;
}

const dictionaries = new WeakMap<readonly string[], Dictionary>();
const NO_DICTIONARY = dictionaryOf([], []);

/** The model's words, then the others. */
function dictionaryOf(own: readonly string[], others: readonly string[]): Dictionary {
  const known = dictionaries.get(own);
  if (known !== undefined) return known;
  const words = [...new Set([...own, ...others])];
  const ranks = new Map<string, number>();
  const alike = new Map<string, number[]>();
  for (const [rank, word] of words.entries()) {
    ranks.set(word, rank);
    const start = `${word[0]}${word.length}`;
    const sameStart = alike.get(start);
    if (sameStart === undefined) alike.set(start, [rank]);
    else sameStart.push(rank);
  }
  const made = { ranks, words, letters: Uint32Array.from(words, lettersOf), alike };
  dictionaries.set(own, made);
  return made;
}

/** Ranks of the words that begin as `word` may, at most so many letters shorter or longer. */
function* ranksNear(word: string, reach: number, { alike }: Dictionary): Generator<number> {
  for (const first of new Set([word[0], word[1]]))
    for (let length = word.length - reach; length <= word.length + reach; length += 1)
      yield* alike.get(`${first}${length}`) ?? [];
}

function lettersOf(word: string): number {
  let letters = 0;
  for (let at = 0; at < word.length; at += 1) letters |= 1 << (word.charCodeAt(at) & 31);
  return letters;
}

function bits(value: number): number {
  let rest = value;
  let count = 0;
  for (; rest !== 0; count += 1) rest &= rest - 1;
  return count;
}

/** What a word that is common, or in the catalog, has ahead of others: as much as a part of an edit. */
const RARITY = 0.12;
const HELD = 0.3;
/** Rank of a word that only the catalog knows. */
const UNRANKED = 1e10;
/** A word that only the catalog knows is a name: short ones are near to anything. */
const LEAST_NAME = 6;

const PRODUCTS: ReadonlySet<string> = new Set(names);

/** The word that was meant; null if none is plain, or if the plain one is not in the catalog. */
function meantBy(
  word: string,
  { isRare, isName }: Omit<Unknown, 'word'>,
  dictionary: Dictionary,
  { lexical, stems, documents }: SpellingContext,
): string | null {
  const { words, letters, ranks } = dictionary;
  const stemmer = stemmerOf(stems);
  const most =
    words.length === 0
      ? MAX_COST.unlisted
      : isName || isRare
        ? Math.min(MAX_COST.name, maxCost(word))
        : maxCost(word);
  const least = isRare ? MORE * rareIn(documents) : 1;
  let best: string | null = null;
  let isBestHeld = false;
  let cheapest = Number.POSITIVE_INFINITY;
  const offer = (candidate: string, rank: number) => {
    const cost = typingCost(word, candidate);
    const price = cost + RARITY * Math.log10(10 + rank);
    if (cost > most || price - HELD >= cheapest) return;
    const terms = termsOf(candidate, stemmer);
    if (isName && !terms.some((term) => PRODUCTS.has(term))) return;
    const isHeld = terms.length === 0 || terms.some((term) => lexical.holds(term, least));
    const total = isHeld ? price - HELD : price;
    if (total >= cheapest) return;
    [cheapest, best, isBestHeld] = [total, candidate, isHeld];
  };
  const own = lettersOf(word);
  const reach = most > 1 ? 2 : 1;
  for (const rank of ranksNear(word, reach, dictionary)) {
    const other = letters[rank]!;
    if (bits(own & ~other) > reach || bits(other & ~own) > reach) continue;
    if (beginsAlike(word, words[rank]!)) offer(words[rank]!, rank);
  }
  if (word.length >= LEAST_NAME && !isName && !isRare)
    for (const candidate of edits(word))
      if (!ranks.has(candidate) && isNameHeld(candidate, stemmer, lexical)) offer(candidate, UNRANKED);
  return isBestHeld ? best : null;
}

/** Whether the catalog has this word itself, or without an ending, rather than another one with its stem. */
function isNameHeld(
  candidate: string,
  stemmer: Stemmer | null,
  lexical: SpellingContext['lexical'],
): boolean {
  const held = [0, 1, 2]
    .map((end) => candidate.slice(0, candidate.length - end))
    .filter((term) => lexical.holds(term));
  return held.length > 0 && termsOf(candidate, stemmer).some((term) => held.includes(term));
}

const maxCost = (word: string) =>
  word.length <= 4 ? MAX_COST.short : word.length < 8 ? MAX_COST.usual : MAX_COST.long;
