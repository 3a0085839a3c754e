/** Adds settings to the text of a host's file and takes them out again. Every result is read again before it counts. */

import { isDeepStrictEqual } from 'node:util';
import { AppError } from '../../src/app/app-error.ts';
import { errorMessage } from '../../src/base/errors.ts';
import { isRecord } from '../../src/base/json.ts';
import { readJson, removeItem, removeJson, setItem, setJson } from '../remote-sources/json-edit.ts';
import {
  appendYamlItem,
  readYamlText,
  removeYaml,
  removeYamlItem,
  setYaml,
  setYamlItem,
} from '../remote-sources/yaml-edit.ts';
import type { Format, Setting } from './host.ts';
import { readToml, removeToml, setToml } from './toml.ts';

type Path = readonly string[];

interface Editor {
  readonly read: (text: string) => unknown;
  readonly set: (text: string, path: Path, value: unknown, append: boolean) => string;
  readonly remove: (text: string, path: Path) => string;
  /** Of lists, by place. TOML has no lists that `connect` adds to. */
  readonly items?: {
    readonly set: (text: string, path: Path, at: number, value: unknown) => string;
    readonly remove: (text: string, path: Path, at: number) => string;
  };
}

const EDITORS: Readonly<Record<Format, Editor>> = {
  json: {
    read: readJson,
    set: setJson,
    remove: removeJson,
    items: { set: setItem, remove: removeItem },
  },
  toml: { read: readToml, set: setToml, remove: removeToml },
  yaml: {
    read: readYamlText,
    set: (text, path, value, append) =>
      append ? appendYamlItem(text, path, value) : setYaml(text, path, value),
    remove: removeYaml,
    items: { set: setYamlItem, remove: removeYamlItem },
  },
};

/** A host's file, and where it is in messages. */
export interface HostText {
  readonly file: string;
  readonly format: Format;
  readonly text: string;
}

type Members = Record<string, unknown>;

/** The file's settings. Throws `HOST_FILE_INVALID` where it cannot be read or is no object. */
export function readHostText({ file, format, text }: HostText): Members {
  let value: unknown;
  try {
    value = EDITORS[format].read(text.replace(/^\ufeff/, ''));
  } catch (cause) {
    throw new AppError(
      'HOST_FILE_INVALID',
      `${file} cannot be edited: ${errorMessage(cause).split('\n')[0]}. Nothing was written. Repair the file first.`,
      { cause },
    );
  }
  if (isRecord(value)) return value;
  throw new AppError(
    'HOST_FILE_INVALID',
    `${file} cannot be edited: its top level is not an object. Nothing was written. Repair the file first.`,
  );
}

export const valueAt = (value: unknown, path: Path): unknown =>
  path.reduce<unknown>(
    (inner, key) => (isRecord(inner) && Object.hasOwn(inner, key) ? inner[key] : undefined),
    value,
  );

/** Whether the setting is in force. */
export function holds(value: unknown, { path, value: wanted, append, isNames }: Setting): boolean {
  const found = valueAt(value, path);
  if (isNames === true) return namesIn(wanted).every((name) => namesIn(found).includes(name));
  return append === true
    ? Array.isArray(found) && found.some((item) => isDeepStrictEqual(item, wanted))
    : isDeepStrictEqual(found, wanted);
}

/** Where the list has the item that the setting replaces; -1 where it has none. */
export function itemAt(value: unknown, { path, value: wanted, replaces }: Setting): number {
  const list = valueAt(value, path);
  const isIt = replaces ?? ((item: unknown) => isDeepStrictEqual(item, wanted));
  return Array.isArray(list) ? list.findIndex(isIt) : -1;
}

export const namesIn = (list: unknown): readonly unknown[] => (Array.isArray(list) ? list : []);

/** The setting as it is written: names are added to those that are there. */
const merged = (value: unknown, { isNames, ...setting }: Setting): Setting =>
  isNames === true
    ? {
        ...setting,
        value: [...new Set([...namesIn(valueAt(value, setting.path)), ...namesIn(setting.value)])],
      }
    : setting;

/** Whether something that is no object is on the way to `path`. */
export const isBlocked = (value: unknown, path: Path): boolean =>
  path.some((_, depth) => {
    const above = valueAt(value, path.slice(0, depth));
    return above !== undefined && !isRecord(above);
  });

/** Whether the setting can be added without replacing an object or a list that someone wrote. */
export function fits(value: unknown, { path, append, isNames, onlyWhereParentExists }: Setting): boolean {
  const parent = valueAt(value, path.slice(0, -1));
  if (onlyWhereParentExists === true && !isRecord(parent)) return false;
  const old = valueAt(value, path);
  return (
    !isBlocked(value, path) &&
    (append === true || isNames === true
      ? old === undefined || Array.isArray(old)
      : !isRecord(old) && !Array.isArray(old))
  );
}

/** The text with the settings. The caller knows that they fit. Throws `HOST_FILE_INVALID`. */
export function withSettings(host: HostText, settings: readonly Setting[]): string {
  return settings.reduce((text, setting) => {
    const before = readHostText({ ...host, text });
    if (holds(before, setting)) return text;
    const written = merged(before, setting);
    const { path, value, append = false } = written;
    const at = append ? itemAt(before, setting) : -1;
    const { set, items } = EDITORS[host.format];
    const after = aroundMark(text, (plain) =>
      at === -1 || items === undefined ? set(plain, path, value, append) : items.set(plain, path, at, value),
    );
    return checked({ ...host, text: after }, assigned(before, written));
  }, host.text);
}

/**
 * The text without the settings. `original`: the file before `connect`, null where there was none. Objects that the original
 * lacks and that end up empty are removed as well.
 */
export function withoutSettings(host: HostText, settings: readonly Setting[], original: unknown): string {
  const { format } = host;
  return settings.reduce((text, setting) => {
    const { path, append } = setting;
    const old = restored(readHostText({ ...host, text }), setting, original);
    const editor = EDITORS[format];
    const oldItem = append === true && Array.isArray(old) ? old[itemAt(original, setting)] : undefined;
    let next = aroundMark(text, (plain) => {
      if (append === true && editor.items !== undefined) {
        const at = itemAt(readHostText({ ...host, text: plain }), setting);
        if (isDeepStrictEqual(setting.value, oldItem)) return plain;
        return oldItem === undefined
          ? editor.items.remove(plain, path, at)
          : editor.items.set(plain, path, at, oldItem);
      }
      return old === undefined ? editor.remove(plain, path) : editor.set(plain, path, old, false);
    });
    for (let depth = append === true ? path.length : path.length - 1; depth > 0; depth -= 1) {
      const above = path.slice(0, depth);
      const left = valueAt(readHostText({ ...host, text: next }), above);
      const isEmpty = (isRecord(left) || Array.isArray(left)) && Object.keys(left).length === 0;
      if (!isEmpty || valueAt(original, above) !== undefined) break;
      next = aroundMark(next, (plain) => editor.remove(plain, above));
    }
    readHostText({ ...host, text: next });
    return next;
  }, host.text);
}

/** What stays of the setting: the value of the original; of names those that the setting does not have. */
function restored(value: unknown, { path, value: added, isNames }: Setting, original: unknown): unknown {
  const old = valueAt(original, path);
  if (isNames !== true) return old;
  const left = namesIn(valueAt(value, path)).filter((name) => !namesIn(added).includes(name));
  return left.length === 0 && old === undefined ? undefined : left;
}

/** Edits the text behind a byte order mark. */
const aroundMark = (text: string, edit: (plain: string) => string) =>
  text.startsWith('\ufeff') ? `\ufeff${edit(text.slice(1))}` : edit(text);

function checked(host: HostText, expected: Members): string {
  try {
    if (isDeepStrictEqual(plain(readHostText(host)), plain(expected))) return host.text;
  } catch {
    // A table on one line takes no further table in TOML, for example.
  }
  throw new AppError(
    'HOST_FILE_INVALID',
    `${host.file} is laid out in a way that cannot be edited safely. Nothing was written. Add the lines of skillgate connect --print by hand.`,
  );
}

/** Without prototypes and classes of parsers. */
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

function assigned(value: Members, setting: Setting): Members {
  const { path, value: wanted, append } = setting;
  const [key = '', ...rest] = path;
  const old = value[key];
  if (rest.length > 0)
    return { ...value, [key]: assigned(isRecord(old) ? old : {}, { ...setting, path: rest }) };
  if (append !== true) return { ...value, [key]: wanted };
  const list = Array.isArray(old) ? old : [];
  const at = itemAt(value, setting);
  return { ...value, [key]: at === -1 ? [...list, wanted] : list.with(at, wanted) };
}
