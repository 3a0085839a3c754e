/** Places in a text. Separate from `decode.ts`, so that a start loads no tables of encodings. */

/** Line and column of an offset, 1-based. */
export function positionAt(text: string, at: number): { line: number; column: number } {
  return { line: countLines(text, at) + 1, column: at - (at === 0 ? -1 : text.lastIndexOf('\n', at - 1)) };
}

/** Line ends before `end`. Everywhere in skillgate, lines end with `\n` or `\r\n`. */
export function countLines(text: string, end = text.length): number {
  let lines = 0;
  for (let at = text.indexOf('\n'); at !== -1 && at < end; at = text.indexOf('\n', at + 1)) lines++;
  return lines;
}
