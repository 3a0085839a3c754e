/** Evidence for a hit: the passages that match the query best, with their lines and the words they share with it. */

import type { Embedder } from '../../index/embedder.ts';
import { findTerms } from '../../index/lexical/query/find-terms.ts';
import { type LexicalQuery, wordsOf } from '../../index/lexical/query/query.ts';
import type { Reader } from '../../index/reader/reader.ts';
import type { Evidence } from './answer.ts';
import { queryText } from './candidates.ts';
import { languageOfQuery, speakersOf } from './language.ts';

/** Longest excerpt, characters. */
const EXCERPT_LENGTH = 200;
/** Most characters before the first matching word. */
const LEAD = 50;
/** A second passage is shown only if its score is at least this share of the first one's. */
const WORTH_SHOWING = 0.6;
/** The card, a document's first passage, is shown with every hit anyway. Its score is multiplied by this. */
const CARD_HANDICAP = 0.8;

/**
 * The `most` best passages of a document, best first. A passage's score is its cosine with the query plus the share
 * of the query's weight that its words carry: the two correct each other's errors. With `excerpts` false, excerpts are empty.
 */
export function evidenceFor(
  reader: Pick<Reader, 'passages'>,
  ordinal: number,
  query: LexicalQuery,
  vector: Float32Array | null,
  most: number,
  excerpts = true,
): Evidence[] {
  return bestPassages(reader, ordinal, query, vector, most).map((at) => {
    const { path, heading, lines, text } = reader.passages.get(ordinal, at);
    const matching = reader.passages.terms(query, ordinal, at);
    const found = new Set(matching.map((place) => query.terms[place]!.term));
    const excerpt = excerpts ? excerptOf(text, found, query.language) : '';
    return {
      path,
      heading,
      lines,
      excerpt,
      terms: wordsOf(query, matching),
    };
  });
}

/** Numbers of the `most` best passages of a document. */
function bestPassages(
  { passages }: Pick<Reader, 'passages'>,
  ordinal: number,
  query: LexicalQuery,
  vector: Float32Array | null,
  most: number,
): number[] {
  const whole = passages.weights(query, ordinal);
  const scores = whole.subarray(0, whole.length - passages.requestCount(ordinal));
  if (query.mass > 0) for (let at = 0; at < scores.length; at += 1) scores[at]! /= query.mass;
  const cosines = vector === null ? null : passages.cosines(vector, ordinal);
  if (cosines !== null) for (let at = 0; at < scores.length; at += 1) scores[at]! += cosines[at]!;
  scores[0]! *= CARD_HANDICAP;
  const places = highest(scores, most);
  const least = WORTH_SHOWING * (scores[places[0] ?? 0] ?? 0);
  return places.filter((at, place) => place === 0 || scores[at]! >= least);
}

/** Positions of the `most` highest scores, highest first; ties by position. */
function highest(scores: Float64Array, most: number): number[] {
  const places: number[] = [];
  while (places.length < Math.min(most, scores.length)) {
    let best = -1;
    for (let at = 0; at < scores.length; at += 1)
      if ((best < 0 || scores[at]! > scores[best]!) && !places.includes(at)) best = at;
    places.push(best);
  }
  return places;
}

/**
 * The excerpt of at most `EXCERPT_LENGTH` characters with the most distinct matching words, the first of equals, on
 * one line and cut at words; `…` marks a cut. Without a matching word, the beginning of the text. `language` is that of
 * the query.
 */
export function excerptOf(text: string, found: ReadonlySet<string>, language: string | null = null): string {
  const { from, to } = densest(text, found, language);
  // Clients may cut the end, so matches should be near the beginning.
  const lead = Math.min(LEAD, Math.max(0, EXCERPT_LENGTH - 2 - (to - from)));
  return oneLine(text, text.length <= EXCERPT_LENGTH ? 0 : beginningNear(text, from, lead));
}

/**
 * The span of at most `EXCERPT_LENGTH` characters with the most distinct matching words: first word's start, last
 * word's end.
 */
function densest(
  text: string,
  found: ReadonlySet<string>,
  language: string | null,
): { from: number; to: number } {
  const tokens = findTerms(text, found, language);
  const inside = new Map<string, number>();
  let best = { from: 0, to: 0 };
  let most = 0;
  let first = 0;
  for (const token of tokens) {
    inside.set(token.term, (inside.get(token.term) ?? 0) + 1);
    while (token.to - tokens[first]!.from > EXCERPT_LENGTH - 2 && tokens[first] !== token) {
      const left = tokens[first]!.term;
      const count = inside.get(left)! - 1;
      if (count === 0) inside.delete(left);
      else inside.set(left, count);
      first += 1;
    }
    if (inside.size > most) {
      most = inside.size;
      best = { from: tokens[first]!.from, to: token.to };
    }
  }
  return best;
}

/**
 * The start of the line that contains `from` if it is at most `lead` characters before; else the start of a nearby
 * word.
 */
function beginningNear(text: string, from: number, lead: number): number {
  const line = text.lastIndexOf('\n', from - 1) + 1;
  if (from - line <= lead) return line;
  const space = text.slice(from - lead, from).search(/\s/);
  return space === -1 ? from : from - lead + space + 1;
}

function oneLine(text: string, start: number): string {
  const before = start > 0 && text[start - 1] !== '\n' ? '…' : '';
  const goesOn = start + 4 * EXCERPT_LENGTH < text.length;
  // A longer slice is needed only for texts that are mostly white space.
  let whole = before + flattened(text.slice(start, start + 1.25 * EXCERPT_LENGTH));
  if (whole.length <= EXCERPT_LENGTH)
    whole = before + flattened(text.slice(start, start + 4 * EXCERPT_LENGTH));
  if (whole.length <= EXCERPT_LENGTH && !goesOn) return whole.toWellFormed();
  const cut = whole.slice(0, EXCERPT_LENGTH - 1);
  const space = whole.length < EXCERPT_LENGTH ? -1 : whole.lastIndexOf(' ', EXCERPT_LENGTH - 1);
  const words = space > EXCERPT_LENGTH / 2 ? cut.slice(0, space) : withoutHalf(cut);
  return `${words.toWellFormed().trimEnd()}…`;
}

/** Collapses each run of white space to one space. Single spaces do not match and are not replaced. */
const flattened = (text: string) => text.replace(/(?! [^\s\p{Cc}])[\s\p{Cc}]+/gu, ' ').trim();

/** Drops an unpaired high surrogate at the end. */
const withoutHalf = (text: string) => text.replace(/[\ud800-\udbff]$/, '');

/** Most passages with which to begin a skill. */
const MAX_TO_BEGIN = 3;

/** Where to begin with one skill, outside a search: best first; empty if the skill contains no word of the query. */
export async function passagesFor(
  query: string,
  ordinal: number,
  { reader, embedder }: { readonly reader: Reader; readonly embedder: Embedder | null },
): Promise<Evidence[]> {
  const text = queryText(query);
  const { stems } = await languageOfQuery(text, reader);
  const vector = embedder === null ? null : await embedder.embedQuery(text);
  const words = reader.lexical.prepare(text, stems, speakersOf(stems, reader));
  const passages = evidenceFor(reader, ordinal, words, vector, MAX_TO_BEGIN);
  return passages.filter(({ terms }) => terms.length > 0);
}
