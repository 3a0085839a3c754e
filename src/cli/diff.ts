/** Exact diffs of files that a command writes: reversed, a diff gives the file as it was. */

import { createTwoFilesPatch } from 'diff';
import { colours } from './output.ts';

interface Change {
  readonly file: string;
  /** Null for a file that there is not. */
  readonly before: string | null;
  readonly after: string | null;
}

/** In the unified format, with `context` lines around each change. */
export function diffOf({ file, before, after }: Change, context: number): string {
  const from = before === null ? '/dev/null' : file;
  const to = after === null ? '/dev/null' : file;
  const patch = createTwoFilesPatch(from, to, before ?? '', after ?? '', undefined, undefined, { context });
  // Only the last line end: a blank line before it is part of the diff.
  return patch.replace(/^=+\n/, '').replace(/\n$/, '');
}

export const coloured = (diff: string) =>
  diff
    .split('\n')
    .map((line) =>
      line.startsWith('+') ? colours.green(line) : line.startsWith('-') ? colours.red(line) : line,
    )
    .join('\n');
