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
export function formatDiff({ file, before, after }: Change, context: number): string {
  const from = before === null ? '/dev/null' : quoted(file);
  const to = after === null ? '/dev/null' : quoted(file);
  return formatPatch(from, to, before ?? '', after ?? '', context);
}

/** In git's format, which renames too: `git apply -R`, run where the paths begin, undoes it. */
export function formatGitDiff(
  { from, to, before, after }: Readonly<Record<'from' | 'to' | 'before' | 'after', string>>,
  context: number,
): string {
  const [old, now] = [quoted(`a/${from}`), quoted(`b/${to}`)];
  const head = [
    `diff --git ${old} ${now}`,
    ...(from === to ? [] : [`rename from ${quoted(from)}`, `rename to ${quoted(to)}`]),
    ...(before === after ? [] : [formatPatch(old, now, before, after, context)]),
  ];
  return head.join('\n');
}

function formatPatch(from: string, to: string, before: string, after: string, context: number): string {
  const patch = createTwoFilesPatch(from, to, before, after, undefined, undefined, { context });
  // Only the last line end: a blank line before it is part of the diff.
  return patch.replace(/^=+\n/, '').replace(/\n$/, '');
}

/** As git quotes names that would break a line, or hide in it: bytes in octal digits. */
function quoted(name: string): string {
  if (!UNPLAIN.test(name)) return name;
  const escaped = name.replace(/["\\]|[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (found) =>
    /["\\]/.test(found)
      ? `\\${found}`
      : Array.from(Buffer.from(found), (byte) => `\\${byte.toString(8).padStart(3, '0')}`).join(''),
  );
  return `"${escaped}"`;
}

const UNPLAIN = /["\\\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

export const coloured = (diff: string) =>
  diff
    .split('\n')
    .map((line) =>
      line.startsWith('+') ? colours.green(line) : line.startsWith('-') ? colours.red(line) : line,
    )
    .join('\n');
