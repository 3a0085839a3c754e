/**
 * How text that others wrote is put into an answer: on one line, without characters that hide, and cut at a word.
 * What is said, and how much of it, is for the tools.
 */

/**
 * Control, format, surrogate and line-separator characters: they break a line, reverse it, or carry text that people
 * do not see and models do. The two joiners stay: Persian, Hindi and emoji are spelled with them.
 */
const HIDDEN = /(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]|[\u{e0100}-\u{e01ef}]/gu;

/** What may have to be replaced: all but characters that are seen for certain, with single spaces between them. */
const UNLIKE_A_LINE =
  /[^ -~\u00a1-\u00ac\u00ae-\u02ff\u2010-\u2027\u2030-\u205e\u2190-\u2bff\u3001-\ud7ff]|^ | $| {2}/;

/** The text as one trimmed line: hidden characters and runs of white space each become one space. */
export function oneLine(text: string): string {
  // Most texts are such a line already, and one look is a tenth of the work.
  if (!UNLIKE_A_LINE.test(text)) return text;
  return text.replace(HIDDEN, ' ').replace(/\s+/g, ' ').trim();
}

/** `oneLine` of at most `length` UTF-16 units; what is cut ends with ` …`, at a word where one ends near by. */
export function clip(text: string, length: number): string {
  const read = text.slice(0, WINDOW * length);
  const line = oneLine(read);
  if (line.length <= length && read.length === text.length) return line;
  const room = line.slice(0, Math.max(0, length - 2)).replace(/[\ud800-\udbff]$/, '');
  const word = room.lastIndexOf(' ');
  // A text without spaces (Chinese, a URL) is cut where the room ends.
  return `${(word > length * 0.6 ? room.slice(0, word) : room).trimEnd()} …`;
}

/** Texts are read this many times as far as they are shown: white space may shrink, bodies have megabytes. */
const WINDOW = 16;

/** The text as it must be repeated in a call: quoted like JSON, hidden characters escaped. */
export function quote(text: string): string {
  return JSON.stringify(text).replace(HIDDEN, (character) =>
    Array.from({ length: character.length }, (_, at) => escapeUnit(character.charCodeAt(at))).join(''),
  );
}

/** The text itself where it stands safely on a line, else quoted. */
export function bare(text: string): string {
  return text !== '' && oneLine(text) === text ? text : quote(text);
}

const escapeUnit = (unit: number) => `\\u${unit.toString(16).padStart(4, '0')}`;

/** `1,234`, whatever the machine’s locale. Intl knows it too, but takes 25 ms of a cold start to load. */
export const count = (value: number) => String(value).replace(/\B(?=(?:\d{3})+$)/g, ',');

/** `1 skill`, `2 skills`. */
export const counted = (value: number, noun: string) => `${count(value)} ${noun}${value === 1 ? '' : 's'}`;
