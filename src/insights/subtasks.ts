/**
 * Splits a task into its parts. In any language, it splits at sentences, list items, semicolons, colons and commas;
 * in a few languages also at words for "and then". It rather splits too often: parts that need the same skill cost
 * nothing later (`bundle.ts`).
 */

import { analyze } from '#index';

/** A part with fewer distinct words says too little alone; it is joined to the part before it, or else to the next. */
const MIN_WORDS = 3;
/** Most parts. A task with more clauses is split into sentences; one with more sentences, into groups of sentences. */
const MAX_PARTS = 12;

/** List items begin on a line of their own. */
const LIST_ITEM = /\n\s*(?:[-*+•·–]|\(?\d{1,2}[.)]|\(?[a-z][.)])\s+/u;
/** Marks between clauses. A comma or colon between digits belongs to a number. */
const CLAUSES = /(?<!\d)[,:]|[,:](?!\d)|[;；，、：。！？]|\s[–—-]\s/u;
/** Words that connect two actions, in larger languages that separate words by spaces. */
const CONNECTIVES =
  /\s(?:and then|and also|and|then|also|afterwards|as well as|plus|und dann|und|dann|danach|anschließend|sowie|et puis|et|puis|ensuite|y luego|y|luego|después|e poi|poi|e depois|depois)\s/iu;

/** A range of the text, in UTF-16 units. */
type Span = readonly [from: number, to: number];

/** At least one part, in order; each is a range of the text, without white space or marks at its ends. */
export function subtasksOf(text: string): string[] {
  const sentences = LIST_ITEM.test(text)
    ? between(text, [0, text.length], LIST_ITEM).flatMap((item) => sentencesOf(text, item))
    : sentencesOf(text, [0, text.length]);
  const whole = joinShort(text, sentences);
  const clauses = whole.flatMap((sentence) =>
    joinShort(text, between(text, sentence, CLAUSES)).flatMap((clause) =>
      joinShort(text, between(text, clause, CONNECTIVES)),
    ),
  );
  const spans = clauses.length <= MAX_PARTS ? clauses : whole;
  const parts = spans.length <= MAX_PARTS ? spans : inGroups(spans, MAX_PARTS);
  return parts.length === 0 ? [bare(text)] : parts.map(([from, to]) => bare(text.slice(from, to)));
}

/** Created on first use: loading its rules is a twentieth of a server's start. */
let segmenter: Intl.Segmenter | undefined;

function sentencesOf(text: string, [from, to]: Span): Span[] {
  segmenter ??= new Intl.Segmenter('en', { granularity: 'sentence' });
  return Array.from(segmenter.segment(text.slice(from, to)), ({ index, segment }) => {
    return [from + index, from + index + segment.length] as const;
  });
}

/** The ranges between the marks. */
function between(text: string, [from, to]: Span, mark: RegExp): Span[] {
  const spans: Span[] = [];
  let start = from;
  for (const match of text.slice(from, to).matchAll(new RegExp(mark.source, `g${mark.flags}`))) {
    spans.push([start, from + match.index]);
    start = from + match.index + match[0].length;
  }
  return [...spans, [start, to]];
}

/** Joins pieces that are too short to the piece before them; the first ones to the piece after. */
function joinShort(text: string, pieces: readonly Span[]): Span[] {
  const joined: Span[] = [];
  let ahead: number | null = null;
  for (const [start, to] of pieces) {
    const from: number = ahead ?? start;
    const last = joined.at(-1);
    if (saysEnough(text.slice(from, to))) {
      joined.push([from, to]);
      ahead = null;
    } else if (last !== undefined) joined[joined.length - 1] = [last[0], to];
    else ahead = from;
  }
  const end = pieces.at(-1)?.[1];
  if (ahead !== null && end !== undefined && bare(text.slice(ahead, end)) !== '') joined.push([ahead, end]);
  return joined;
}

const saysEnough = (text: string) => new Set(analyze(text).map(({ term }) => term)).size >= MIN_WORDS;

const bare = (text: string) =>
  text.replace(/\s+/gu, ' ').replace(/^[\s,;:，、；：–—-]+|[\s,;:，、；：–—-]+$/gu, '');

function inGroups(spans: readonly Span[], count: number): Span[] {
  const size = Math.ceil(spans.length / count);
  return Array.from({ length: Math.ceil(spans.length / size) }, (_, group) => {
    const members = spans.slice(group * size, (group + 1) * size);
    return [members[0]![0], members.at(-1)![1]];
  });
}
