/**
 * Splits a text into chunks of about one size along its sections: packs small neighbours together, and splits long
 * sections between paragraphs, list items or lines. A text without headings is a single section. References are split within
 * limits.
 */

import { diagnose } from '../../skills/diagnostics.ts';
import { isMarkdown } from '../../skills/files.ts';
import { findSections, frontMatterLines, withoutLines } from '../../skills/sections.ts';
import type { Diagnostic, Section } from '../../skills/skill.ts';
import { LineIndex, splitLines } from './split.ts';

/**
 * Target size of a chunk, in characters; it may be up to 1.25 times as long. Quality hardly depends on it, nor on chunks that
 * overlap; packing small sections halves the number of vectors (`bench/TRIED.md`).
 */
const TARGET = 1_000;

export interface Chunk {
  /** Headings above everything in the chunk, outermost first. */
  readonly heading: readonly string[];
  /** Lines of the file, 1-based, inclusive. */
  readonly lines: readonly [from: number, to: number];
  /** The author's text, unchanged; no blank lines at either end. */
  readonly text: string;
}

/** A section and its lines in the text, from 0, `to` exclusive. */
interface Stretch {
  readonly heading: readonly string[];
  readonly from: number;
  readonly to: number;
  /** False for a heading with nothing below it. */
  readonly hasText: boolean;
}

/**
 * Chunks in order; every line that is not blank is in one. `firstLine` is the number of the text's first line in
 * its file; `sections` are the text's, numbered the same way.
 */
export function chunkText(
  text: string,
  firstLine: number,
  sections: readonly Section[],
  target = TARGET,
): Chunk[] {
  const index = new LineIndex(text);
  const stretches = sections.map(({ heading, level, lines: [from, to] }): Stretch => {
    const start = from - firstLine;
    const end = to - firstLine + 1;
    return { heading, from: start, to: end, hasText: level === 0 || !index.isBlank(start + 1, end) };
  });
  const chunks: Chunk[] = [];
  let group: Stretch[] = [];
  const flush = () => {
    if (group.length > 0) chunks.push(...cutGroup(index, firstLine, group, target));
    group = [];
  };
  for (const stretch of stretches) {
    const first = group[0] ?? stretch;
    const together = index.length(first.from, stretch.to);
    // A bare heading belongs to what follows it, however long that is.
    const bare = group.length > 0 && group.every(({ hasText }) => !hasText);
    if (together > target && !bare) flush();
    group.push(stretch);
    if (index.length(group[0]!.from, stretch.to) > target) flush();
  }
  flush();
  return chunks;
}

function cutGroup(index: LineIndex, firstLine: number, group: readonly Stretch[], target: number): Chunk[] {
  const from = group[0]?.from ?? 0;
  const to = group.at(-1)?.to ?? 0;
  return splitLines(index, from, to, target).map(({ start, end, lines }) => {
    const [first, last] = lines;
    return {
      heading: commonHeading(group.filter((stretch) => stretch.from <= last && first < stretch.to)),
      lines: [firstLine + first, firstLine + last],
      text: index.text.slice(start, end),
    };
  });
}

/**
 * The headings that all sections share. Bare headings are ignored: the next section's headings contain or follow
 * them.
 */
function commonHeading(stretches: readonly Stretch[]): readonly string[] {
  const telling = stretches.filter(({ hasText }) => hasText);
  const [first, ...others] = telling.length > 0 ? telling : stretches;
  if (first === undefined) return [];
  let depth = first.heading.length;
  for (const { heading } of others) {
    let shared = 0;
    while (shared < depth && heading[shared] === first.heading[shared]) shared++;
    depth = shared;
  }
  return first.heading.slice(0, depth);
}

/** Characters indexed of one reference; a longer one is a book, which its beginning identifies. */
const MAX_INDEXED = 2_000_000;
/** Passages of one reference: a long one should not outweigh its skill. */
const MAX_PASSAGES = 400;

/** `text` is the whole file or its beginning. */
export function chunkReference(
  text: string,
  path: string,
): { chunks: readonly Chunk[]; diagnostics: readonly Diagnostic[] } {
  const indexed = text.length <= MAX_INDEXED ? text : upToLineEnd(text, MAX_INDEXED);
  const all = isMarkdown(path) ? chunkMarkdown(indexed) : chunkText(indexed, 1, [wholeOf(indexed)]);
  const chunks = all.slice(0, MAX_PASSAGES);
  const last = chunks.at(-1);
  if (indexed.length === text.length && chunks.length === all.length) return { chunks, diagnostics: [] };
  const message = `Of ${text.length} characters, those up to line ${last?.lines[1] ?? 1} are indexed.`;
  const fix = 'Split the file by topic; the rest can still be read.';
  const cut = diagnose('reference-cut', path, message, { fix, line: last?.lines[1] ?? 1 });
  return { chunks, diagnostics: [cut] };
}

/** Front matter is a chunk of its own, without its fences. */
function chunkMarkdown(text: string): Chunk[] {
  const above = frontMatterLines(text);
  const body = withoutLines(text, above);
  const chunks = chunkText(body, above + 1, findSections(body, above + 1));
  if (above === 0) return chunks;
  const lines = text.split('\n', above - 1).slice(1);
  const keys = chunkText(lines.join('\n'), 2, [{ heading: [], level: 0, lines: [2, above - 1] }]);
  return [...keys, ...chunks];
}

function wholeOf(text: string): { heading: string[]; level: number; lines: [number, number] } {
  const ends = text.split('\n').length - (text.endsWith('\n') ? 1 : 0);
  return { heading: [], level: 0, lines: [1, Math.max(1, ends)] };
}

function upToLineEnd(text: string, limit: number): string {
  const end = text.lastIndexOf('\n', limit);
  return text.slice(0, end > limit / 2 ? end + 1 : limit);
}
