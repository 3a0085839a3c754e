/**
 * Mends the slips that keep real front matter from being YAML, one at a time: what was plainly meant as text is
 * put in quotes. Every line stays on its line, so that positions hold; no word is changed.
 */

import type { DiagnosticId } from './diagnostics.ts';
import { unquoted } from './salvage.ts';

export interface Mended {
  readonly text: string;
  readonly id: DiagnosticId;
  readonly message: string;
  readonly fix: string;
  /** Of the slip, 1-based, within the text. */
  readonly line: number;
  readonly column: number;
}

const TOP_KEY = /^(?:[A-Za-z_][\w.-]*|"[^"]*"|'[^']*')[ \t]*:(?:\s|$)/;
/** A value on a line of its own: below any number of dashes, after a key or after a dash. */
const VALUE =
  /^([ \t]*(?:-[ \t]+)*(?:(?:[\w.$@/-]+|"[^"]*"|'[^']*')[ \t]*:[ \t]+)|[ \t]*(?:-[ \t]+)+)(\S.*)$/;
const BLOCK_TEXT = /^[|>][+-]?\d?[ \t]*(?=[^\s#])/;
/** Quotes that close, with nothing but a comment after them. */
const CLOSED = /^(?:"(?:[^"\\]|\\[\s\S])*"|'(?:[^']|'')*')\s*(?:\s#.*)?$/;

/** A key of the top level with all that is below it: lines counted from 0, `end` excluded. */
interface Entry {
  readonly start: number;
  readonly end: number;
  /** With the colon and what space follows it. */
  readonly key: string;
  /** As one line. */
  readonly value: string;
}

/** Mends one text step by step; each step remembers what was tried, so that the steps end. */
export class YamlMender {
  /** Of the text as it was given, whatever has been mended since. */
  readonly #entries: readonly Entry[];
  readonly #original: readonly string[];
  readonly #tried = new Set<string>();
  #lines: string[];

  constructor(text: string) {
    this.#original = text.split('\n');
    this.#lines = [...this.#original];
    this.#entries = entriesOf(this.#original);
  }

  /** Mends what a parser refused on line `line` (1-based), or null where nothing more can be done there. */
  fix(line: number): Mended | null {
    const at = Math.min(line, this.#lines.length) - 1;
    const entries = this.#entries.filter(({ start }) => start <= at);
    // A quote that is never closed is found out about at the end of the text, far below it.
    const open = entries.findLast(({ value }) => /^["']/.test(value) && !CLOSED.test(value));
    return (
      this.#mendTabs() ?? this.#mendEntry(open) ?? this.#mendValue(at) ?? this.#mendEntry(entries.at(-1))
    );
  }

  #mendTabs(): Mended | null {
    const at = this.#lines.findIndex((line) => /^ *\t/.test(line));
    if (at === -1 || !this.#first('tabs')) return null;
    this.#lines = this.#lines.map((line) =>
      line.replace(/^[ \t]+/, (indent) => indent.replaceAll('\t', '  ')),
    );
    const text = this.#lines.join('\n');
    const message = 'A line is indented with tabs, which YAML forbids.';
    return { text, id: 'yaml-tab', message, fix: 'Indent with spaces.', line: at + 1, column: 1 };
  }

  /** Quotes the value of one line, where the next lines do not belong to it. */
  #mendValue(at: number): Mended | null {
    const match = VALUE.exec(this.#lines[at] ?? '');
    if (match === null || this.#continues(at) || !this.#first(`value ${at}`)) return null;
    const [, before = '', value = ''] = match;
    return this.#rewrite(at, at + 1, before, value, false);
  }

  /** Quotes all there is below one key of the top level, as one text, as it was before any other mending. */
  #mendEntry(entry: Entry | undefined): Mended | null {
    if (entry === undefined || !this.#first(`entry ${entry.start}`)) return null;
    const { start, end, key, value } = entry;
    const continued = this.#original.slice(start + 1, end).some((line) => /^[^\s#-]/.test(line));
    return this.#rewrite(start, end, `${key.trimEnd()} `, value, continued);
  }

  #rewrite(start: number, end: number, before: string, value: string, continued: boolean): Mended {
    const blockText = BLOCK_TEXT.exec(value);
    const meant = withoutQuotes(blockText === null ? value : value.slice(blockText[0].length));
    this.#lines.fill('', start, end);
    this.#lines[start] = `${before}'${meant.replaceAll("'", "''")}'`;
    const slip = slipOf(value, blockText !== null, continued);
    return { text: this.#lines.join('\n'), ...slip, line: start + 1, column: before.length + 1 };
  }

  /** True where the line's value goes on below: a further line is indented deeper, or is no key. */
  #continues(at: number): boolean {
    const next = this.#lines.slice(at + 1).find((line) => line.trim() !== '');
    if (next === undefined) return false;
    if (/^[^\s#-]/.test(next)) return !TOP_KEY.test(next);
    return indentOf(next) > indentOf(this.#lines[at] ?? '');
  }

  #first(step: string): boolean {
    const isFirst = !this.#tried.has(step);
    this.#tried.add(step);
    return isFirst;
  }
}

function entriesOf(lines: readonly string[]): Entry[] {
  const starts = [...lines.keys()].filter((at) => TOP_KEY.test(lines[at] ?? ''));
  return starts.map((start, index) => {
    const end = starts[index + 1] ?? lines.length;
    const [first = '', ...below] = lines.slice(start, end);
    const [key = ''] = TOP_KEY.exec(first) ?? [];
    const parts = [first.slice(key.length), ...below].map((part) => part.trim());
    return { start, end, key, value: parts.filter((part) => part !== '').join(' ') };
  });
}

/** Without the quotes around it, or the one before it that nothing closes. */
function withoutQuotes(value: string): string {
  const quote = value[0];
  const dangling = (quote === '"' || quote === "'") && !value.includes(quote, 1);
  return dangling ? value.slice(1) : unquoted(value);
}

function slipOf(
  value: string,
  blockText: boolean,
  continued: boolean,
): Pick<Mended, 'id' | 'message' | 'fix'> {
  const start = value[0] ?? '';
  if (blockText) {
    const message = `Text follows \`${start}\` on the same line.`;
    return { id: 'yaml-block-text', message, fix: 'Begin the text on the next line, indented.' };
  }
  if (continued) {
    const message = 'The value goes on in a line that is not indented.';
    return { id: 'yaml-continuation', message, fix: 'Indent every further line of the value.' };
  }
  if (/:(?:\s|$)/.test(value) && !/^["'[{]/.test(start)) {
    const message = 'The value holds `: ` and is not quoted.';
    return { id: 'yaml-colon', message, fix: 'Put the value in quotes.' };
  }
  const message = /^\w/.test(start)
    ? 'The value is text, but not as it stands.'
    : `The value begins with \`${start}\` but is not what that announces in YAML.`;
  return { id: 'yaml-quote', message, fix: 'Put the value in quotes, or close what it opens.' };
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}
