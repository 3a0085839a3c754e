/**
 * Changes to the list of sources in a configuration file, as its author would make them: comments stay, and so does
 * the layout of whatever is not touched. Texts go in and come out; whether the outcome is valid is asked by the caller.
 */

import { type Document, isMap, isScalar, isSeq, parseDocument, type YAMLMap, type YAMLSeq } from 'yaml';

export type SourceEntry = Readonly<Record<string, unknown>>;

/** The text with the entries at the end of `sources`, which is made where it is missing. `text` may be empty. */
export function withSources(text: string, isJson: boolean, entries: readonly SourceEntry[]): string {
  return isJson ? jsonWith(text, entries) : yamlWith(text, entries);
}

/** The text without that entry of `sources`. */
export function withoutSource(text: string, isJson: boolean, at: number): string {
  if (!isJson) {
    const document = parseDocument(text);
    document.deleteIn(['sources', at]);
    return rendered(document, text);
  }
  const { sources } = partsOf(text);
  const item = sources === null ? null : rangeOf(sources.items[at]);
  if (sources === null || item === null) return text;
  if (sources.items.length === 1) return replaced(text, rangeOf(sources) ?? item, '[]');
  const before = rangeOf(sources.items[at - 1]);
  const after = rangeOf(sources.items[at + 1]);
  // The comma goes with it: the one before, or for the first entry the one after.
  return before === null
    ? replaced(text, [item[0], after?.[0] ?? item[1]], '')
    : replaced(text, [before[1], item[1]], '');
}

function yamlWith(text: string, entries: readonly SourceEntry[]): string {
  // `set` makes the mapping where there is nothing, or only a comment, yet.
  const document: Document = parseDocument(text);
  const sources = document.get('sources');
  if (isSeq(sources) && sources.items.length > 0)
    for (const entry of entries) sources.add(document.createNode(entry));
  else document.set('sources', document.createNode(entries));
  return rendered(document, text);
}

/** Long lines stay whole, and lists stay as far to the right as the author has them. */
function rendered(document: Document, before: string): string {
  const isFlush = /^[^\s#-][^\n]*:[ \t]*(?:#[^\n]*)?\n(?:[ \t]*(?:#[^\n]*)?\n)*-[ \t]/m.test(before);
  return document.toString({ lineWidth: 0, indentSeq: !isFlush });
}

function jsonWith(text: string, entries: readonly SourceEntry[]): string {
  if (text.trim() === '') return `${JSON.stringify({ sources: entries }, null, 2)}\n`;
  const unit = /^([ \t]+)\S/m.exec(text)?.[1] ?? '  ';
  const inner = (value: unknown, depth: number) =>
    JSON.stringify(value, null, unit).replaceAll('\n', `\n${unit.repeat(depth)}`);
  const { root, sources } = partsOf(text);
  const whole = rangeOf(root);
  if (root === null || whole === null) return text;
  if (sources === null) {
    const start = whole[0] + 1;
    const rest = root.items.length === 0 ? '\n' : ',';
    // What follows begins a line of its own.
    const gap = root.items.length > 0 && !/^\s*\n/.test(text.slice(start)) ? `\n${unit}` : '';
    return replaced(
      text,
      [start, start + (gap === '' ? 0 : blanksAt(text, start))],
      `\n${unit}"sources": ${inner(entries, 1)}${rest}${gap}`,
    );
  }
  const range = rangeOf(sources);
  const last = rangeOf(sources.items.at(-1));
  if (range === null) return text;
  const isOneLine = !text.slice(...range).includes('\n');
  if (last === null || isOneLine)
    return replaced(text, range, inner([...(sources.toJSON() as unknown[]), ...entries], 1));
  const added = entries.map((entry) => `,\n${unit.repeat(2)}${inner(entry, 2)}`).join('');
  return replaced(text, [last[1], last[1]], added);
}

const blanksAt = (text: string, at: number) => /^[ \t]*/.exec(text.slice(at))?.[0].length ?? 0;

type Range = readonly [from: number, to: number];

function partsOf(text: string): { root: YAMLMap | null; sources: YAMLSeq | null } {
  const { contents: root } = parseDocument(text);
  if (!isMap(root)) return { root: null, sources: null };
  const value = root.items.find(({ key }) => isScalar(key) && key.value === 'sources')?.value;
  return { root, sources: isSeq(value) ? value : null };
}

/** Where a node begins and ends, white space after it left out. */
function rangeOf(node: unknown): Range | null {
  const range = typeof node === 'object' && node !== null ? Reflect.get(node, 'range') : null;
  return Array.isArray(range) ? [Number(range[0]), Number(range[1])] : null;
}

const replaced = (text: string, [from, to]: Range, by: string) => text.slice(0, from) + by + text.slice(to);
