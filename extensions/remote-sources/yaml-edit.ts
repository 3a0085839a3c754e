/** Edits YAML as text where the layout allows it, else through the document, which keeps comments and order. */

import { isDeepStrictEqual } from 'node:util';
import { isMap, isNode, isScalar, isSeq, stringify, type YAMLMap } from 'yaml';
import { isRecord } from '../../src/base/json.ts';
import { countTokens, parseYaml } from '../../src/base/yaml.ts';

type Path = readonly string[];

const LAYOUT = { lineWidth: 0, flowCollectionPadding: false } as const;

/** Throws where the text cannot be read. */
export function readYamlText(text: string): unknown {
  return parseYamlDocument(text).toJS() ?? {};
}

/** Words and signs of a host's file. */
const MAX_TOKENS = 50_000;

function parseYamlDocument(text: string) {
  if (countTokens(text, MAX_TOKENS) > MAX_TOKENS)
    throw new SyntaxError(`it has more than ${MAX_TOKENS} words and signs`);
  const document = parseYaml(text);
  const [error] = document.errors;
  if (error !== undefined) throw new SyntaxError(`it is not valid YAML: ${error.message.split('\n')[0]}`);
  return document;
}

export function setYaml(text: string, path: Path, value: unknown): string {
  const document = parseYamlDocument(text);
  const nested = (keys: Path) => keys.reduceRight<unknown>((inner, key) => ({ [key]: inner }), value);
  const old = document.getIn(path, true);
  if (isScalar(old) && old.range && isPlain(value))
    return `${text.slice(0, old.range[0])}${String(value)}${text.slice(old.range[1])}`;
  if (old !== undefined) {
    // The only entry of a mapping goes with its mapping, which is written again with it.
    const parent = path.slice(0, -1);
    const map = parent.length === 0 ? null : document.getIn(parent);
    const isOnly = isMap(map) && map.items.length === 1;
    const without = removedLines(text, isOnly ? parent : path);
    if (without !== null) return setYaml(without, path, value);
  } else {
    let depth = path.length - 1;
    while (depth > 0 && !isMap(document.getIn(path.slice(0, depth)))) depth -= 1;
    const map = depth === 0 ? document.contents : document.getIn(path.slice(0, depth));
    const isEmpty = document.contents === null;
    const lines = isEmpty || !isMap(map) ? null : appended(text, map, nested(path.slice(depth)));
    if (lines !== null) return lines;
    if (isEmpty)
      return `${text}${text === '' || text.endsWith('\n') ? '' : '\n'}${stringify(nested(path), LAYOUT)}`;
  }
  document.setIn(path, document.createNode(value));
  return document.toString(LAYOUT);
}

/** Adds an item to the list at `path`. */
export function appendYamlItem(text: string, path: Path, value: unknown): string {
  const document = parseYamlDocument(text);
  const list = document.getIn(path);
  if (!isSeq(list) || list.items.length === 0) return setYaml(text, path, [value]);
  const last = list.items.at(-1);
  if (list.flow !== true && isNode(last) && last.range && list.range) {
    const start = text.lastIndexOf('\n', last.range[0] - 1) + 1;
    const indent = /^( *)- +$/.exec(text.slice(start, last.range[0]))?.[1];
    const lines = indent === undefined ? null : insertedAt(text, list.range[2], indent, [value]);
    if (lines !== null && holdsList(lines, path, [...list.toJS(document), value])) return lines;
  }
  document.addIn(path, document.createNode(value));
  return document.toString(LAYOUT);
}

/** Whether an edit of lines did what it should: white space and a comment behind a block scalar are part of it. */
function holdsList(text: string, path: Path, items: readonly unknown[]): boolean {
  const document = parseYaml(text);
  const list = document.getIn(path);
  return document.errors.length === 0 && isSeq(list) && isDeepStrictEqual(list.toJS(document), items);
}

/** Replaces an item of the list at `path`: of a mapping the keys that differ. */
export function setYamlItem(text: string, path: Path, at: number, value: unknown): string {
  const place = [...path, String(at)];
  const document = parseYamlDocument(text);
  const item = document.getIn(place);
  const old: unknown = isMap(item) ? item.toJS(document) : undefined;
  if (!isRecord(old) || !isRecord(value)) return setYaml(text, place, value);
  const gone = Object.keys(old).filter((key) => !Object.hasOwn(value, key));
  const without = gone.reduce((rest, key) => removeYaml(rest, [...place, key]), text);
  return Object.entries(value)
    .filter(([key, inner]) => !isDeepStrictEqual(inner, old[key]))
    .reduce((rest, [key, inner]) => setYaml(rest, [...place, key], inner), without);
}

/** Removes an item of the list at `path`, with the comment directly above; one above the first describes the list. The only item goes with its list. */
export function removeYamlItem(text: string, path: Path, at: number): string {
  const document = parseYamlDocument(text);
  const list = document.getIn(path);
  if (!isSeq(list) || list.items.length < 2) return removeYaml(text, path);
  const item = list.items[at];
  if (list.flow !== true && isNode(item) && item.range) {
    const lines = withoutLines(text, item.range, /^ *- +$/, at > 0);
    if (lines !== null && holdsList(lines, path, list.toJS(document).toSpliced(at, 1))) return lines;
  }
  document.deleteIn([...path, at]);
  return document.toString(LAYOUT);
}

export function removeYaml(text: string, path: Path): string {
  const lines = removedLines(text, path);
  if (lines !== null) return lines;
  const document = parseYamlDocument(text);
  document.deleteIn(path);
  return document.toString(LAYOUT);
}

/** The text without the lines of an entry; null for the only entry of a mapping and for other layouts than blocks. */
function removedLines(text: string, path: Path): string | null {
  const document = parseYamlDocument(text);
  const map = path.length === 1 ? document.contents : document.getIn(path.slice(0, -1));
  if (!isMap(map) || map.flow === true || map.items.length < 2) return null;
  const { key, value } = map.items.find((pair) => isScalar(pair.key) && pair.key.value === path.at(-1)) ?? {};
  if (!isScalar(key) || !key.range || !isNode(value) || !value.range) return null;
  return withoutLines(text, [key.range[0], value.range[1]], /^\s*$/);
}

/**
 * Without the lines of a range, and with `withComment` those of the comment above; null where other text than `lead` precedes the
 * range in its line.
 */
function withoutLines(
  text: string,
  [from, to]: readonly [number, number, ...number[]],
  lead: RegExp,
  withComment = false,
): string | null {
  const start = text.lastIndexOf('\n', from - 1) + 1;
  if (!lead.test(text.slice(start, from))) return null;
  const comment = withComment ? /(?:(?<=^|\n)[ \t]*#[^\n]*\n)+$/.exec(text.slice(0, start))?.[0] : undefined;
  const end = text.indexOf('\n', start + text.slice(start, to).trimEnd().length);
  return `${text.slice(0, start - (comment?.length ?? 0))}${end === -1 ? '' : text.slice(end + 1)}`;
}

const isPlain = (value: unknown) => typeof value === 'boolean' || typeof value === 'number';

/** The text with more entries behind the last one of a block mapping; null for other layouts. */
function appended(text: string, map: YAMLMap, entries: unknown): string | null {
  const key = map.items.at(-1)?.key;
  if (map.flow === true || !isScalar(key) || !key.range || !map.range) return null;
  const start = text.lastIndexOf('\n', key.range[0] - 1) + 1;
  const indent = text.slice(start, key.range[0]);
  if (!/^ *$/.test(indent)) return null;
  // The range ends before comments that stand at the end of the mapping with less indentation.
  return insertedAt(text, map.range[2], indent, entries);
}

/** The text with more lines of YAML behind what ends there. */
function insertedAt(text: string, end: number, indent: string, entries: unknown): string {
  const before = text.slice(0, end).trimEnd();
  const eol = text.includes('\r\n') ? '\r\n' : '\n';
  const lines = stringify(entries, LAYOUT)
    .trimEnd()
    .replace(/^(?=.)/gm, indent)
    .replaceAll('\n', eol);
  const rest = text.slice(before.length);
  return `${before}${eol}${lines}${rest === '' ? eol : rest}`;
}
