/** The lines of a text, and pieces of about one size that end at natural breaks between them, for sections that are too long. */

interface Piece {
  /** Offsets in the text. */
  readonly start: number;
  readonly end: number;
  /** First and last line that it overlaps, from 0. */
  readonly lines: readonly [first: number, last: number];
}

/** A piece may be this much longer than the target, to end at a better break. */
const STRETCH = 1.25;
/** A piece is at least this share of the goal. */
const SHORTEST = 0.5;

/** Cost of ending a piece before a line, as a share of the goal: a worse break must be this much nearer to the goal. */
const COST = { paragraph: 0, item: 0.2, line: 0.5, blankInCode: 0.4, code: 0.8, afterHeading: 1 } as const;

const HEADING = /^ {0,3}#{1,6}\s/;
const FENCE = /^ {0,3}(?:>\s*)*(?:[-*+]\s+|\d+[.)]\s+)?(`{3,}|~{3,})/;
const ITEM = /^\s*(?:[-*+]|\d+[.)])\s/;

/**
 * Pieces in order, of lines `from` to `to` (exclusive, from 0), of about equal length near `target` characters.
 * Blank lines at the ends of pieces are left out; all other lines are in one. Time is linear in the text.
 */
export function splitLines(index: LineIndex, from: number, to: number, target: number): Piece[] {
  const limit = target * STRETCH;
  const total = index.length(from, to);
  if (total <= limit) return trimmed(index, from, to);
  const goal = total / Math.ceil(total / target);
  const costs = costsBefore(index, from, to);
  const pieces: Piece[] = [];
  for (let start = from; start < to; ) {
    if (index.length(start, start + 1) > limit) {
      pieces.push(...splitLongLine(index, start, target));
      start += 1;
      continue;
    }
    const end = bestEnd(index, start, to, goal, limit, (line) => costs[line - from] ?? 0);
    pieces.push(...trimmed(index, start, end));
    start = end;
  }
  return pieces;
}

/** The best line to end a piece before, for a piece that begins at `start`. Takes at least one line. */
function bestEnd(
  index: LineIndex,
  start: number,
  to: number,
  goal: number,
  limit: number,
  costOf: (line: number) => number,
): number {
  if (index.length(start, to) <= limit) return to;
  let best = start + 1;
  let bestCost = Number.POSITIVE_INFINITY;
  for (let end = start + 1; end <= to; end++) {
    const length = index.length(start, end);
    if (length > limit) break;
    // Too short a piece is the last resort.
    const short = length < goal * SHORTEST ? 2 : 0;
    const cost = Math.abs(length - goal) / goal + costOf(end) + short;
    if (cost <= bestCost) {
      best = end;
      bestCost = cost;
    }
  }
  return best;
}

/** The cost of ending a piece before each line, beginning with `from`. */
function costsBefore(index: LineIndex, from: number, to: number): Float32Array {
  const costs = new Float32Array(to - from + 1);
  let fence = '';
  let belowHeading = false;
  for (let line = from; line < to; line++) {
    const text = index.line(line).slice(0, 200);
    const mark = FENCE.exec(text)?.[1] ?? '';
    const blankBefore = line > from && index.isBlank(line - 1, line);
    let cost: number = ITEM.test(text) ? COST.item : COST.line;
    if (blankBefore || HEADING.test(text)) cost = COST.paragraph;
    if (belowHeading) cost = COST.afterHeading;
    if (fence !== '') cost = blankBefore ? COST.blankInCode : COST.code;
    costs[line - from] = cost;
    if (text.trim() !== '') belowHeading = fence === '' && HEADING.test(text);
    if (fence === '') fence = mark;
    else if (mark.startsWith(fence) && text.trim() === mark) fence = '';
  }
  return costs;
}

/** Drops blank lines at both ends; nothing if all are blank. */
function trimmed(index: LineIndex, from: number, to: number): Piece[] {
  let first = from;
  let last = to - 1;
  while (first <= last && index.isBlank(first, first + 1)) first++;
  while (last >= first && index.isBlank(last, last + 1)) last--;
  if (first > last) return [];
  return [{ start: index.start(first), end: index.end(last), lines: [first, last] }];
}

/** Splits a line that is too long for a piece by characters, at white space if possible. */
function splitLongLine(index: LineIndex, line: number, target: number): Piece[] {
  const { text } = index;
  const end = index.end(line);
  const pieces: Piece[] = [];
  for (let start = index.start(line); start < end; ) {
    let stop = Math.min(start + target, end);
    if (stop < end) {
      const space = text.slice(start, stop).lastIndexOf(' ');
      if (space > target * SHORTEST) stop = start + space;
      else if (isLowSurrogate(text.charCodeAt(stop))) stop -= 1;
    }
    pieces.push({ start, end: stop, lines: [line, line] });
    start = Math.max(stop, start + 1);
  }
  return pieces.filter(({ start, end }) => text.slice(start, end).trim() !== '');
}

function isLowSurrogate(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff;
}

export class LineIndex {
  readonly text: string;
  /** Offset of each line, and of the end of the text. */
  readonly #starts: number[];

  constructor(text: string) {
    this.text = text;
    this.#starts = [0];
    for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) this.#starts.push(at + 1);
    if (this.#starts.at(-1) !== text.length) this.#starts.push(text.length);
  }

  /** Number of lines; a line end at the very end begins no further line. */
  get count(): number {
    return this.#starts.length - 1;
  }

  start(line: number): number {
    return this.#starts[Math.min(line, this.count)] ?? 0;
  }

  /** End offset of a line, without its line end. */
  end(line: number): number {
    let end = this.start(line + 1);
    if (end > 0 && this.text[end - 1] === '\n') end--;
    if (end > this.start(line) && this.text[end - 1] === '\r') end--;
    return end;
  }

  line(line: number): string {
    return this.text.slice(this.start(line), this.end(line));
  }

  /** Characters in lines `from` to `to`, with their line ends. */
  length(from: number, to: number): number {
    return this.start(to) - this.start(from);
  }

  /** True if lines `from` to `to` contain only white space. */
  isBlank(from: number, to: number): boolean {
    for (let at = this.start(from); at < this.start(to); at++) {
      const code = this.text.charCodeAt(at);
      if (code !== 0x20 && (code < 0x09 || code > 0x0d)) return false;
    }
    return true;
  }
}
