/**
 * The parts of a task: where one text asks for several things. Whatever the language, a text is cut at what its writer
 * put between the parts: sentences, the items of a list, semicolons, colons and commas; and at words for "and then"
 * of a few languages. It is cut too often rather than too seldom: parts that want the same skill cost nothing later
 * (`bundle.ts`).
 */

import { analyze } from '#index';

/** A part with fewer different words than this says too little alone and joins the one before it, or the next. */
const LEAST_WORDS = 3;
/** Most parts: a longer task is cut into its sentences only, and past this many into even stretches of them. */
const MOST_PARTS = 12;

/** Items of a list stand on lines of their own. */
const LIST_ITEM = /\n\s*(?:[-*+•·–]|\(?\d{1,2}[.)]|\(?[a-z][.)])\s+/u;
/** Marks between clauses. A comma or point between digits belongs to a number. */
const CLAUSES = /(?<!\d)[,:]|[,:](?!\d)|[;；，、：。！？]|\s[–—-]\s/u;
/** Words between two things to do, in the larger languages that put spaces around them. */
const CONNECTIVES =
  /\s(?:and then|and also|and|then|also|afterwards|as well as|plus|und dann|und|dann|danach|anschließend|sowie|et puis|et|puis|ensuite|y luego|y|luego|después|e poi|poi|e depois|depois)\s/iu;

/** A stretch of the text, UTF-16 units. */
type Span = readonly [from: number, to: number];

/** At least one part, in order; each is a stretch of the text, without space or marks at its ends. */
export function partsOfTask(text: string): string[] {
  const sentences = LIST_ITEM.test(text)
    ? between(text, [0, text.length], LIST_ITEM).flatMap((item) => sentencesOf(text, item))
    : sentencesOf(text, [0, text.length]);
  const whole = joinShort(text, sentences);
  const clauses = whole.flatMap((sentence) =>
    joinShort(text, between(text, sentence, CLAUSES)).flatMap((clause) =>
      joinShort(text, between(text, clause, CONNECTIVES)),
    ),
  );
  const spans = clauses.length <= MOST_PARTS ? clauses : whole;
  const parts = spans.length <= MOST_PARTS ? spans : inGroups(spans, MOST_PARTS);
  return parts.length === 0 ? [bare(text)] : parts.map(([from, to]) => bare(text.slice(from, to)));
}

/** Made when a first task is cut: loading its rules would be a twentieth of a server's start. */
let segmenter: Intl.Segmenter | undefined;

function sentencesOf(text: string, [from, to]: Span): Span[] {
  segmenter ??= new Intl.Segmenter('en', { granularity: 'sentence' });
  return Array.from(segmenter.segment(text.slice(from, to)), ({ index, segment }) => {
    return [from + index, from + index + segment.length] as const;
  });
}

/** What stands between the marks. */
function between(text: string, [from, to]: Span, mark: RegExp): Span[] {
  const spans: Span[] = [];
  let start = from;
  for (const match of text.slice(from, to).matchAll(new RegExp(mark.source, `g${mark.flags}`))) {
    spans.push([start, from + match.index]);
    start = from + match.index + match[0].length;
  }
  return [...spans, [start, to]];
}

/** Pieces that say too little are joined to the piece before them, the first to the one after. */
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

const saysEnough = (text: string) => new Set(analyze(text).map(({ term }) => term)).size >= LEAST_WORDS;

const bare = (text: string) =>
  text.replace(/\s+/gu, ' ').replace(/^[\s,;:，、；：–—-]+|[\s,;:，、；：–—-]+$/gu, '');

function inGroups(spans: readonly Span[], count: number): Span[] {
  const size = Math.ceil(spans.length / count);
  return Array.from({ length: Math.ceil(spans.length / size) }, (_, group) => {
    const members = spans.slice(group * size, (group + 1) * size);
    return [members[0]![0], members.at(-1)![1]];
  });
}
