/**
 * Edits the list of sources in the text of a configuration file. Comments and the layout of all other settings stay.
 * The caller checks whether the result is valid.
 */

import { isDeepStrictEqual } from 'node:util';
import { isMap, isScalar, isSeq, parseDocument, stringify, type YAMLMap, type YAMLSeq } from 'yaml';
import { removeItem, setJson } from '../json-edit.ts';

export type SourceEntry = Readonly<Record<string, unknown>>;

/** Appends entries to `sources`, and adds the list where it is missing. `text` may be empty. */
export function withSources(text: string, isJson: boolean, entries: readonly SourceEntry[]): string {
  if (isJson) return entries.reduce((edited, entry) => setJson(edited, ['sources'], entry, true), text);
  const document = parseDocument(text);
  const sources = document.get('sources');
  const before: readonly unknown[] = isSeq(sources) ? (sources.toJS(document) as unknown[]) : [];
  const written = yamlWith(text, entries);
  if (written !== null && hasSources(written, [...before, ...entries])) return written;
  // `set` also creates the mapping in an empty file.
  if (isSeq(sources) && before.length > 0)
    for (const entry of entries) sources.add(document.createNode(entry));
  else document.set('sources', document.createNode(entries));
  return document.toString(WHOLE_LINES);
}

/** Removes one entry of `sources`. */
export function withoutSource(text: string, isJson: boolean, at: number): string {
  if (isJson) return removeItem(text, ['sources'], at);
  const document = parseDocument(text);
  const sources = document.get('sources');
  if (!isSeq(sources)) return text;
  const left = (sources.toJS(document) as unknown[]).toSpliced(at, 1);
  const written = yamlWithout(text, sources, at);
  if (written !== null && hasSources(written, left)) return written;
  document.deleteIn(['sources', at]);
  return document.toString(WHOLE_LINES);
}

const WHOLE_LINES = { lineWidth: 0 } as const;

/** Whether an edited text parses to the wanted sources. */
function hasSources(text: string, wanted: readonly unknown[]): boolean {
  const document = parseDocument(text);
  const value: unknown = document.errors.length > 0 ? null : document.toJS();
  const sources = typeof value === 'object' && value !== null ? Reflect.get(value, 'sources') : null;
  return isDeepStrictEqual(sources, wanted);
}

/** Adds lines after the last entry or at the end of the file. Null for other layouts of the list. */
function yamlWith(text: string, entries: readonly SourceEntry[]): string | null {
  const { root, sources } = parseParts(text);
  const line = text === '' || text.endsWith('\n') ? '' : '\n';
  if (root === null || !root.items.some(({ key }) => isScalar(key) && key.value === 'sources'))
    return `${text}${line}${stringify({ sources: entries }, WHOLE_LINES)}`;
  const last = nodeRange(sources?.items.at(-1));
  const dash = last === null ? null : dashBefore(text, last[0]);
  if (last === null || dash === null) return null;
  const lines = stringify(entries, WHOLE_LINES).replace(/^(?=.)/gm, dash.indent);
  const end = lineEnd(text, last[1]);
  return replaced(text, [end, end], end === text.length && line !== '' ? `\n${lines}` : lines);
}

/** Removes the lines of an entry and the comment directly above. Null for other layouts of the list. */
function yamlWithout(text: string, sources: YAMLSeq, at: number): string | null {
  const own = nodeRange(sources.items[at]);
  const dash = own === null ? null : dashBefore(text, own[0]);
  if (own === null || dash === null || sources.items.length === 1) return null;
  // A comment above the first entry usually describes the whole list.
  const comment = at === 0 ? '' : (/(?:^[ \t]*#[^\n]*\n)+$/m.exec(text.slice(0, dash.at))?.[0] ?? '');
  return replaced(text, [dash.at - comment.length, lineEnd(text, own[1])], '');
}

/** Offset of an entry's dash, and its indentation. */
function dashBefore(text: string, at: number): { at: number; indent: string } | null {
  const found = /(?:^|\n)(([ \t]*)-[ \t]+)$/.exec(text.slice(0, at));
  return found === null ? null : { at: at - (found[1] ?? '').length, indent: found[2] ?? '' };
}

/** Offset after the line break that follows `at`. */
function lineEnd(text: string, at: number): number {
  if (text[at - 1] === '\n') return at;
  const end = text.indexOf('\n', at);
  return end === -1 ? text.length : end + 1;
}

type Range = readonly [from: number, to: number];

function parseParts(text: string): { root: YAMLMap | null; sources: YAMLSeq | null } {
  const { contents: root } = parseDocument(text);
  if (!isMap(root)) return { root: null, sources: null };
  const value = root.items.find(({ key }) => isScalar(key) && key.value === 'sources')?.value;
  return { root, sources: isSeq(value) ? value : null };
}

/** Offsets of a node, without trailing white space. */
function nodeRange(node: unknown): Range | null {
  const range = typeof node === 'object' && node !== null ? Reflect.get(node, 'range') : null;
  return Array.isArray(range) ? [Number(range[0]), Number(range[1])] : null;
}

const replaced = (text: string, [from, to]: Range, by: string) => text.slice(0, from) + by + text.slice(to);
