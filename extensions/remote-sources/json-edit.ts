/** Edits JSON with comments as text: only the new lines change; comments, order and layout of the rest stay. */

import { applyEdits, findNodeAtLocation, modify, type Node, type ParseError, parseTree } from 'jsonc-parser';

type Path = readonly string[];

/** The tree of a document. Throws where it cannot be read; an empty text is an empty object. */
function parseJsonTree(text: string): Node | null {
  if (text.trim() === '') return null;
  const errors: ParseError[] = [];
  const tree = parseTree(text, errors, { allowTrailingComma: true });
  const [first] = errors;
  if (first !== undefined || tree === undefined) {
    const line = text.slice(0, first?.offset ?? 0).split('\n').length;
    throw new SyntaxError(`it is not valid JSON at line ${line}`);
  }
  return tree;
}

/** The value of a document. Throws where it cannot be read. A key that is given twice counts as the last. */
export function readJson(text: string): unknown {
  const tree = parseJsonTree(text);
  return tree === null ? {} : toPlain(tree);
}

function toPlain(node: Node): unknown {
  if (node.type === 'array') return (node.children ?? []).map(toPlain);
  if (node.type !== 'object') return node.value;
  const value: Record<string, unknown> = Object.create(null);
  for (const { children: [key, inner] = [] } of node.children ?? [])
    if (key !== undefined && inner !== undefined) value[key.value] = toPlain(inner);
  return { ...value };
}

/** Sets a value, and creates the objects on the way to it. `append` adds it to the list at `path`. */
export function setJson(text: string, path: Path, value: unknown, append: boolean): string {
  const tree = parseJsonTree(text);
  const nested = (keys: Path) =>
    keys.reduceRight((inner, key) => ({ [key]: inner }), append ? [value] : value);
  if (tree === null) return `${JSON.stringify(nested(path), null, 2)}\n`;
  let depth = path.length;
  while (findNodeAtLocation(tree, path.slice(0, depth)) === undefined) depth -= 1;
  const found = findNodeAtLocation(tree, path.slice(0, depth)) ?? tree;
  const layout = detectLayout(text);
  if (depth < path.length) return inserted(text, found, path[depth], nested(path.slice(depth + 1)), layout);
  if (append) return inserted(text, found, undefined, value, layout);
  const indent = lineIndent(text, found.offset);
  return spliced(text, found.offset, found.offset + found.length, written(value, indent, layout));
}

/** Removes a property with its comma; comments next to it stay. */
export const removeJson = (text: string, path: Path): string =>
  applyEdits(text, modify(text, [...path], undefined, {}));

/** Replaces an item of the list at `path`. */
export function setItem(text: string, path: Path, at: number, value: unknown): string {
  const tree = parseJsonTree(text);
  const item = tree === null ? undefined : findNodeAtLocation(tree, [...path, at]);
  if (item === undefined) return text;
  const isOneLine = !text.slice(item.offset, item.offset + item.length).includes('\n');
  const part = isOneLine
    ? JSON.stringify(value)
    : written(value, lineIndent(text, item.offset), detectLayout(text));
  return spliced(text, item.offset, item.offset + item.length, part);
}

/** Removes an item of the list at `path`. jsonc-parser cuts the last item of a list without white space short. */
export function removeItem(text: string, path: Path, at: number): string {
  const tree = parseJsonTree(text);
  const items = (tree === null ? undefined : findNodeAtLocation(tree, [...path]))?.children ?? [];
  const item = items[at];
  if (item === undefined) return text;
  const next = items[at + 1];
  if (next !== undefined) return spliced(text, item.offset, next.offset, '');
  const end = item.offset + item.length;
  const before = items[at - 1];
  if (before === undefined)
    return spliced(text, item.offset, (commaAfter(text, end, text.length) ?? end - 1) + 1, '');
  const comma = commaAfter(text, before.offset + before.length, item.offset) ?? item.offset - 1;
  // A comment between the two stays, with the end of its line.
  const between = text.slice(comma + 1, item.offset);
  return spliced(text, comma, end, between.trim() === '' ? '' : between);
}

interface Layout {
  readonly unit: string;
  readonly eol: string;
}

const detectLayout = (text: string): Layout => ({
  unit: /^([ \t]+)["/]/m.exec(text)?.[1] ?? '  ',
  eol: text.includes('\r\n') ? '\r\n' : '\n',
});

const spliced = (text: string, from: number, to: number, part: string) =>
  `${text.slice(0, from)}${part}${text.slice(to)}`;

const lineIndent = (text: string, at: number) =>
  /^[ \t]*/.exec(text.slice(text.lastIndexOf('\n', at - 1) + 1))?.[0] ?? '';

const written = (value: unknown, indent: string, { unit, eol }: Layout) =>
  JSON.stringify(value, null, unit).replaceAll('\n', `${eol}${indent}`);

/** Adds a property (or, without a key, an item) behind the last one of an object or list. */
function inserted(text: string, into: Node, key: string | undefined, value: unknown, layout: Layout): string {
  const label = key === undefined ? '' : `${JSON.stringify(key)}: `;
  const close = into.offset + into.length - 1;
  const last = into.children?.at(-1);
  const outer = lineIndent(text, into.offset);
  if (last === undefined) {
    const kept = text.slice(into.offset + 1, close).trimEnd();
    const inner = `${outer}${layout.unit}`;
    const line = `${layout.eol}${inner}${label}${written(value, inner, layout)}${layout.eol}${outer}`;
    return spliced(text, into.offset + 1, close, `${kept}${line}`);
  }
  const end = last.offset + last.length;
  const comma = commaAfter(text, end, close);
  const isOneLine = !text.slice(into.offset, close).includes('\n');
  if (isOneLine) return spliced(text, end, comma ?? end, `, ${label}${JSON.stringify(value)}`);
  const inner = lineIndent(text, last.offset);
  const line = `${layout.eol}${inner}${label}${written(value, inner, layout)}`;
  // A comment at the end of the last line stays there.
  const rest = /^[ \t]*(\/\/[^\r\n]*|\/\*[^\r\n]*?\*\/[ \t]*)?(?=\r?\n)/.exec(
    text.slice((comma ?? end - 1) + 1),
  );
  const at = (comma ?? end - 1) + 1 + (rest?.[0].trimEnd().length ?? 0);
  const withLine = spliced(text, at, at, comma === null ? line : `${line},`);
  return comma === null ? spliced(withLine, end, end, ',') : withLine;
}

/** The offset of the comma between `from` and `to`, past white space and comments. */
function commaAfter(text: string, from: number, to: number): number | null {
  const skipped = /^(?:\s|\/\/[^\n]*\n|\/\*[\s\S]*?\*\/)*/.exec(text.slice(from, to))?.[0].length ?? 0;
  return text[from + skipped] === ',' ? from + skipped : null;
}
