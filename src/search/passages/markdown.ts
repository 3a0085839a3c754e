/**
 * Splits a text into chunks of about one size along its sections: packs small neighbours together, and splits long
 * sections between paragraphs, list items or lines. A text without headings is a single section. References are split within
 * limits.
 */

import type { Section } from '../../skills/skill.ts';
import { LineIndex } from './lines.ts';
import { splitLines } from './split.ts';

export interface ChunkSizes {
  /** Target size of a chunk, in characters. A chunk may be up to 1.25 times as long. */
  readonly target: number;
  /** Characters at the end of a chunk that the next one repeats if a section had to be split; whole lines. */
  readonly overlap: number;
}

/**
 * Quality hardly depends on the size or the overlap; packing small sections halves the number of vectors
 * (`bench/TRIED.md`).
 */
export const CHUNK_SIZES: ChunkSizes = { target: 1_000, overlap: 0 };

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
  sizes: ChunkSizes = CHUNK_SIZES,
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
    if (group.length > 0) chunks.push(...cutGroup(index, firstLine, group, sizes));
    group = [];
  };
  for (const stretch of stretches) {
    const first = group[0] ?? stretch;
    const together = index.length(first.from, stretch.to);
    // A bare heading belongs to what follows it, however long that is.
    const bare = group.length > 0 && group.every(({ hasText }) => !hasText);
    if (together > sizes.target && !bare) flush();
    group.push(stretch);
    if (index.length(group[0]!.from, stretch.to) > sizes.target) flush();
  }
  flush();
  return chunks;
}

function cutGroup(
  index: LineIndex,
  firstLine: number,
  group: readonly Stretch[],
  sizes: ChunkSizes,
): Chunk[] {
  const from = group[0]?.from ?? 0;
  const to = group.at(-1)?.to ?? 0;
  return splitLines(index, from, to, sizes).map(({ start, end, lines }) => {
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
