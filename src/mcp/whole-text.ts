/**
 * Whole texts, for methods without a token budget: read slice by slice through the gateway, which checks what may be
 * read.
 */

import type { Gateway, LoadedSkill, ReadResult, TextSlice } from '../gateway/gateway.ts';

/** The gateway's largest slice, tokens. */
const SLICE_TOKENS = 50_000;

type Reader = Pick<Gateway, 'load' | 'read'>;

/** The skill with all its instructions as one slice. */
export async function loadWhole(gateway: Reader, skill: string): Promise<LoadedSkill> {
  const loaded = await gateway.load({ skill, maxTokens: SLICE_TOKENS });
  const { entry, instructions } = loaded;
  return { ...loaded, instructions: await withRest(gateway, entry.id, entry.file, instructions) };
}

/** The beginning of a file, or an image. */
export const readFirst = (gateway: Reader, skill: string, path: string): Promise<ReadResult> =>
  gateway.read({ skill, path, maxTokens: SLICE_TOKENS });

/** A file's text as one slice, of which `first` is the beginning. Every slice reads the whole file again. */
export async function withRest(
  gateway: Reader,
  skill: string,
  path: string,
  first: TextSlice,
): Promise<TextSlice> {
  const texts = [first.text];
  let last = first;
  while (last.continueAt !== undefined) {
    const lines = [last.continueAt, last.lineCount] as const;
    const read = await gateway.read({ skill, path, lines, maxTokens: SLICE_TOKENS });
    if (read.kind === 'image') break;
    last = read.slice;
    texts.push(last.text);
  }
  return { ...last, text: texts.join('\n'), lines: [first.lines[0], last.lines[1]] };
}
