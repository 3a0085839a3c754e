/**
 * Texts of others in answers and messages: on one line, without hidden characters, cut, quoted, compared. The tools decide what to
 * include and how much; how texts look in terminals is `cli/output.ts`.
 */

import { distance } from 'fastest-levenshtein';
import { escapeHidden, HIDDEN, withoutCommand } from './lines.ts';

/** Characters of a name that a message shows, and that are compared: input may be arbitrarily long. */
const SHOWN = 120;
const COMPARED = 200;

/** At most `length` UTF-16 units; a cut text ends with `…`. */
export const cut = (text: string, length: number): string =>
  text.length > length ? `${text.slice(0, length - 1)}…` : text;

/** As JSON, cut. */
export const quoted = (text: string): string => JSON.stringify(cut(text, SHOWN));

interface Closest {
  /** Most items. */
  readonly most?: number;
  /** Most edits. */
  readonly within?: number;
}

/** The items whose text is within so many edits (Levenshtein) of `wanted`, nearest first, then in their order. */
export function closest<T>(
  wanted: string,
  items: readonly T[],
  textOf: (item: T) => string,
  { most = Number.POSITIVE_INFINITY, within = Number.POSITIVE_INFINITY }: Closest = {},
): T[] {
  const start = wanted.slice(0, COMPARED);
  return items
    .map((item) => ({ item, edits: distance(start, textOf(item).slice(0, COMPARED)) }))
    .filter(({ edits }) => edits <= within)
    .sort((a, b) => a.edits - b.edits)
    .slice(0, most)
    .map(({ item }) => item);
}

/** A text that may need cleaning: anything but surely visible characters with single spaces between them. */
const MAY_NEED_CLEANING =
  /[^ -~\u00a1-\u00ac\u00ae-\u02ff\u2010-\u2027\u2030-\u205e\u2190-\u2bff\u3001-\ud7ff]|^ | $| {2}/;

/** The text as one trimmed line: hidden characters and runs of white space each become one space. */
export function oneLine(text: string): string {
  // Most texts are clean, and this test costs a tenth of the replacements.
  if (!MAY_NEED_CLEANING.test(text)) return text;
  return text.replace(HIDDEN, ' ').replace(/\s+/g, ' ').trim();
}

/** `oneLine` of at most `length` UTF-16 units. A cut text ends with ` …`, after a whole word if one ends nearby. */
export function clip(text: string, length: number): string {
  const read = text.slice(0, WINDOW * length);
  const line = oneLine(read);
  if (line.length <= length && read.length === text.length) return line;
  const room = line.slice(0, Math.max(0, length - 2)).replace(/[\ud800-\udbff]$/, '');
  const word = room.lastIndexOf(' ');
  // A text without spaces (Chinese, a URL) is cut at the limit.
  return `${(word > length * 0.6 ? room.slice(0, word) : room).trimEnd()} …`;
}

/** How far a text is read, in lengths of the result: runs of white space collapse, and bodies may have megabytes. */
const WINDOW = 16;

/** The exact text, for use in a call: quoted like JSON, hidden characters escaped. */
export const quote = (text: string): string => withoutCommand(toJson(text));

/** A value as JSON on one line, hidden characters escaped. */
export const toJson = (value: unknown): string => escapeHidden(JSON.stringify(value));

/** The text itself if it is safe on a line, otherwise quoted. */
export function bare(text: string): string {
  return text !== '' && oneLine(text) === text ? text : quote(text);
}

/** A name or path of others in a terminal or log: `bare`, and quoted where a workflow would take it for a command. */
export const named = (text: string): string => (withoutCommand(text) === text ? bare(text) : quote(text));

/** Between blocks of an answer, which some clients join without a line break. */
export const GAP = '\n\n';

/** `1,234`, independent of the machine's locale. Not with Intl, which would slow down a cold start. */
export const count = (value: number) => String(value).replace(/\B(?=(?:\d{3})+$)/g, ',');

/** `1 skill`, `2 skills`; with a plural that is no noun and an s: `2 searches`. */
export const counted = (value: number, noun: string, plural = `${noun}s`) =>
  `${count(value)} ${value === 1 ? noun : plural}`;

/** UTF-8 that encodes to the same bytes again, including a byte-order mark; undefined for any other bytes. */
export function exactText(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

const toBase64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64');

/** Bytes as the contents of a resource: UTF-8 as text, anything else as Base64. */
export function toContents(bytes: Uint8Array): { readonly text: string } | { readonly blob: string } {
  const text = exactText(bytes);
  return text === undefined ? { blob: toBase64(bytes) } : { text };
}

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

/** A link or part of a URI with its percent escapes resolved; as it is where one of them is wrong. */
export function decoded(uri: string): string {
  try {
    return decodeURIComponent(uri);
  } catch {
    return uri;
  }
}

/** Characters of a misspelt name that count. */
const SUGGESTED = 60;

/** ` Did you mean "x"?`, or an empty text where no name is close. */
export function suggestion(name: string, known: readonly string[]): string {
  const start = name.slice(0, SUGGESTED);
  const within = Math.max(Math.min(2, start.length - 1), start.length / 3);
  const [near] = closest(start, known, (text) => text, { within });
  return near === undefined ? '' : ` Did you mean "${near}"?`;
}
