/** Edits TOML as text. New tables go to the end of the file; what is there is replaced and removed by toml-patch. */

import { parse, patch } from '@decimalturn/toml-patch';

type Path = readonly string[];

/** Throws where the text cannot be read. */
export const readToml = (text: string): unknown => parse(text);

export function setToml(text: string, path: Path, value: unknown): string {
  const eol = text.includes('\r\n') ? '\r\n' : '\n';
  const key = path.at(-1) ?? '';
  const isTable = typeof value === 'object' && value !== null && !Array.isArray(value);
  const table = (isTable ? path : path.slice(0, -1)).join('.');
  const lines = isTable ? Object.entries(value).map(assigned) : [assigned([key, value])];
  if (at(parse(text), path) !== undefined) return replaced(text, path, value);
  // A setting of a table that is there goes below its header.
  const header = new RegExp(`^[ \\t]*\\[${table.replaceAll('.', '\\.')}\\][^\\n]*(?:\\n|$)`, 'm').exec(text);
  if (header !== null && !isTable) {
    const end = header.index + header[0].length;
    const lead = header[0].endsWith('\n') ? '' : eol;
    return `${text.slice(0, end)}${lead}${lines.join(eol)}${eol}${text.slice(end)}`;
  }
  const gap = text === '' ? '' : text.endsWith('\n') ? eol : `${eol}${eol}`;
  return `${text}${gap}${[`[${table}]`, ...lines].join(eol)}${eol}`;
}

export const removeToml = (text: string, path: Path): string => replaced(text, path, undefined);

/** With undefined it is removed. */
function replaced(text: string, path: Path, value: unknown): string {
  const next = structuredClone(parse(text));
  const parent = at(next, path.slice(0, -1));
  const key = path.at(-1) ?? '';
  if (typeof parent === 'object' && parent !== null)
    if (value === undefined) Reflect.deleteProperty(parent, key);
    else Reflect.set(parent, key, value);
  return patch(text, next);
}

const at = (value: unknown, path: Path): unknown =>
  path.reduce<unknown>(
    (inner, key) => (typeof inner === 'object' && inner !== null ? Reflect.get(inner, key) : undefined),
    value,
  );

/** Strings, numbers, truth values and lists of them are written alike in JSON and TOML; a path may hold no DEL. */
const assigned = ([key, value]: readonly [string, unknown]) => `${key} = ${JSON.stringify(value)}`;
