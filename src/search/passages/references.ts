/** Splits reference documents into chunks: Markdown by headings, other text by paragraphs, within limits. */

import { diagnose } from '../../skills/diagnostics.ts';
import { isMarkdown } from '../../skills/files.ts';
import { sectionsOf } from '../../skills/sections.ts';
import type { Diagnostic } from '../../skills/skill.ts';
import { type Chunk, type ChunkSizes, chunkText } from './markdown.ts';

/** Characters indexed of one reference; a longer one is a book, which its beginning identifies. */
const MAX_INDEXED = 2_000_000;
/** Passages of one reference: a long one should not outweigh its skill. */
const MAX_PASSAGES = 400;

/** `text` is the whole file or its beginning. */
export function chunkReference(
  text: string,
  path: string,
  sizes: ChunkSizes,
): { chunks: readonly Chunk[]; diagnostics: readonly Diagnostic[] } {
  const indexed = text.length <= MAX_INDEXED ? text : upToLineEnd(text, MAX_INDEXED);
  const found = isMarkdown(path) ? sectionsOf(indexed, 1) : [wholeOf(indexed)];
  const all = chunkText(indexed, 1, found, sizes);
  const chunks = all.slice(0, MAX_PASSAGES);
  const last = chunks.at(-1);
  if (indexed.length === text.length && chunks.length === all.length) return { chunks, diagnostics: [] };
  const message = `Of ${text.length} characters, those up to line ${last?.lines[1] ?? 1} are indexed.`;
  const fix = 'Split the file by topic; the rest can still be read.';
  const found_ = diagnose('reference-cut', path, message, { fix, line: last?.lines[1] ?? 1 });
  return { chunks, diagnostics: [found_] };
}

function wholeOf(text: string): { heading: string[]; level: number; lines: [number, number] } {
  const ends = text.split('\n').length - (text.endsWith('\n') ? 1 : 0);
  return { heading: [], level: 0, lines: [1, Math.max(1, ends)] };
}

function upToLineEnd(text: string, limit: number): string {
  const end = text.lastIndexOf('\n', limit);
  return text.slice(0, end > limit / 2 ? end + 1 : limit);
}
