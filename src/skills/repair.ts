/**
 * Repairs the mistakes that keep real front matter from being YAML, one at a time, by quoting what was meant as
 * text. Every line keeps its number, so positions stay valid; no word changes. The last resort for what cannot be repaired
 * is to read name and description line by line.
 */

import type { DiagnosticId } from './diagnostics.ts';

interface Repair {
  readonly text: string;
  readonly id: DiagnosticId;
  readonly message: string;
  readonly fix: string;
  /** Position of the mistake, 1-based, within the text. */
  readonly line: number;
  readonly column: number;
}

const TOP_KEY = /^(?:[A-Za-z_][\w.-]*|"[^"]*"|'[^']*')[ \t]*:(?:\s|$)/;
/** A value on a line of its own: after any number of dashes, then after a key or a dash. */
const VALUE =
  /^([ \t]*(?:-[ \t]+)*(?:(?:[\w.$@/-]+|"[^"]*"|'[^']*')[ \t]*:[ \t]+)|[ \t]*(?:-[ \t]+)+)(\S.*)$/;
/** `> 90 %` is a comparison. */
const BLOCK_TEXT = /^(?:\||>(?![ \t]*[=\d]))[+-]?\d?[ \t]*(?=[^\s#])/;
/** A quoted value that is closed, with nothing but a comment after it. */
const CLOSED = /^(?:"(?:[^"\\]|\\[\s\S])*"|'(?:[^']|'')*')\s*(?:\s#.*)?$/;

/** A top-level key and everything below it. Lines from 0, `end` exclusive. */
interface Entry {
  readonly start: number;
  readonly end: number;
  /** Includes the colon and the space after it. */
  readonly key: string;
  /** Joined to one line. */
  readonly value: string;
}

/** Repairs one text step by step. Each step is tried once, so the steps end. */
export class YamlRepairer {
  /** Of the original text, before any repair. */
  readonly #entries: readonly Entry[];
  readonly #original: readonly string[];
  readonly #tried = new Set<string>();
  #lines: string[];

  constructor(text: string) {
    this.#original = text.split('\n');
    this.#lines = [...this.#original];
    this.#entries = splitEntries(this.#original);
  }

  /** Repairs what the parser refused on line `line` (1-based); null if nothing more can be done there. */
  repair(line: number): Repair | null {
    const at = Math.min(line, this.#lines.length) - 1;
    const entries = this.#entries.filter(({ start }) => start <= at);
    // The parser reports an unclosed quote at the end of the text, far below it.
    const open = entries.findLast(({ value }) => /^["']/.test(value) && !CLOSED.test(value));
    return (
      this.#repairTabs() ??
      this.#repairEntry(open) ??
      this.#repairValue(at) ??
      this.#repairEntry(entries.at(-1))
    );
  }

  #repairTabs(): Repair | null {
    const at = this.#lines.findIndex((line) => /^ *\t/.test(line));
    if (at === -1 || !this.#first('tabs')) return null;
    this.#lines = this.#lines.map((line) =>
      line.replace(/^[ \t]+/, (indent) => indent.replaceAll('\t', '  ')),
    );
    const text = this.#lines.join('\n');
    const message = 'A line is indented with tabs, which YAML forbids.';
    return { text, id: 'yaml-tab', message, fix: 'Indent with spaces.', line: at + 1, column: 1 };
  }

  /** Quotes the value of one line, if the next lines do not belong to it. */
  #repairValue(at: number): Repair | null {
    const match = VALUE.exec(this.#lines[at] ?? '');
    if (match === null || this.#continues(at) || !this.#first(`value ${at}`)) return null;
    const [, before = '', value = ''] = match;
    return this.#rewrite(at, at + 1, before, value, false);
  }

  /** Quotes everything below one top-level key as one text, from the original lines. */
  #repairEntry(entry: Entry | undefined): Repair | null {
    if (entry === undefined || !this.#first(`entry ${entry.start}`)) return null;
    const { start, end, key, value } = entry;
    const continued = this.#original.slice(start + 1, end).some((line) => /^[^\s#-]/.test(line));
    return this.#rewrite(start, end, `${key.trimEnd()} `, value, continued);
  }

  #rewrite(start: number, end: number, before: string, value: string, continued: boolean): Repair {
    const blockText = BLOCK_TEXT.exec(value);
    const meant = withoutQuotes(blockText === null ? value : value.slice(blockText[0].length));
    this.#lines.fill('', start, end);
    this.#lines[start] = `${before}'${meant.replaceAll("'", "''")}'`;
    const mistake = findMistake(value, blockText !== null, continued);
    return { text: this.#lines.join('\n'), ...mistake, line: start + 1, column: before.length + 1 };
  }

  /** True if the value continues: the next line is indented deeper, or is not a key. */
  #continues(at: number): boolean {
    const next = this.#lines.slice(at + 1).find((line) => line.trim() !== '');
    if (next === undefined) return false;
    if (/^[^\s#-]/.test(next)) return !TOP_KEY.test(next);
    return measureIndent(next) > measureIndent(this.#lines[at] ?? '');
  }

  #first(step: string): boolean {
    const isFirst = !this.#tried.has(step);
    this.#tried.add(step);
    return isFirst;
  }
}

function splitEntries(lines: readonly string[]): Entry[] {
  const starts = [...lines.keys()].filter((at) => TOP_KEY.test(lines[at] ?? ''));
  return starts.map((start, index) => {
    const all = lines.slice(start, starts[index + 1]);
    // Comments above the next key are not text of this one.
    const end = start + all.findLastIndex((line) => !/^(?:#|\s*$)/.test(line)) + 1;
    const [first = '', ...below] = lines.slice(start, end);
    const [key = ''] = TOP_KEY.exec(first) ?? [];
    const parts = [first.slice(key.length), ...below].map((part) => part.trim());
    return { start, end, key, value: parts.filter((part) => part !== '').join(' ') };
  });
}

/** Removes surrounding quotes, or a leading quote that is never closed. */
function withoutQuotes(value: string): string {
  const quote = value[0];
  const dangling = (quote === '"' || quote === "'") && !value.includes(quote, 1);
  return dangling ? value.slice(1) : unquoted(value);
}

function findMistake(
  value: string,
  blockText: boolean,
  continued: boolean,
): Pick<Repair, 'id' | 'message' | 'fix'> {
  const start = value.slice(0, 1);
  if (blockText) {
    const message = `Text follows \`${start}\` on the same line.`;
    return { id: 'yaml-block-text', message, fix: 'Begin the text on the next line, indented.' };
  }
  if (continued) {
    const message = 'The value continues on a line that is not indented.';
    return { id: 'yaml-continuation', message, fix: 'Indent every continuation line of the value.' };
  }
  if (/:(?:\s|$)/.test(value) && !/["'[{]/.test(start)) {
    const message = 'The value contains `: ` and is not quoted.';
    return { id: 'yaml-colon', message, fix: 'Put the value in quotes.' };
  }
  if (/\s#\S/.test(value)) {
    const message = 'The value is cut at ` #`, where YAML begins a comment.';
    return { id: 'yaml-comment', message, fix: 'Put the value in quotes.' };
  }
  const message = /\W/.test(start)
    ? `The value begins with \`${start}\`, which has another meaning in YAML.`
    : 'The value is not valid YAML text.';
  return { id: 'yaml-quote', message, fix: 'Put the value in quotes, or close what it opens.' };
}

function measureIndent(line: string): number {
  return line.length - line.trimStart().length;
}

const SALVAGED = /^(name|description)[ \t]*:[ \t]*(.*)$/i;
const OTHER_KEY = /^[A-Za-z_][\w.-]*[ \t]*:(?:\s|$)/;

/**
 * The first `name` and `description` at the beginning of a line, the description up to the next key. Missing ones
 * are absent.
 */
export function salvageLines(text: string): Map<string, string> {
  const found = new Map<string, string>();
  let open: string | null = null;
  for (const line of text.split('\n')) {
    const match = SALVAGED.exec(line);
    if (match !== null) {
      const key = (match[1] ?? '').toLowerCase();
      open = found.has(key) ? null : key;
      if (open !== null) found.set(open, (match[2] ?? '').replace(/^[|>][+-]?(?:\s|$)/, ''));
    } else if (OTHER_KEY.test(line)) {
      open = null;
    } else if (open === 'description') {
      found.set(open, `${found.get(open)} ${line.trim()}`);
    }
  }
  for (const [key, value] of found) {
    const text = unquoted(value.trim());
    if (text === '') found.delete(key);
    else found.set(key, text);
  }
  return found;
}

/** Removes surrounding quotes, if there are no others between them. */
function unquoted(text: string): string {
  const quote = text[0];
  const paired = (quote === '"' || quote === "'") && text.indexOf(quote, 1) === text.length - 1;
  return paired ? text.slice(1, -1) : text;
}
