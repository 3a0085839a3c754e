/**
 * Single settings from the command line (`--set limits.callsPerMinute=100`) and the environment (`SKILLGATE_INDEX`). The
 * lists of sources and rules can only be set in the file.
 */

import { resolve } from 'node:path';
import { suggestion } from '../../base/text.ts';
import { ConfigError, type Place } from '../app-error.ts';
import { fromHome } from './files.ts';
import type { Directories } from './find.ts';
import { configJsonSchema, type JsonSchema } from './json-schema.ts';
import { VARIABLES } from './variables.ts';

/** A setting from outside the file. */
export interface Override {
  readonly path: readonly string[];
  /** The value to check against the schema. */
  readonly value: unknown;
  /** The flag or variable, for messages. */
  readonly from: Place;
}

/** A setting with one value or a list of texts, outside the lists of the file. */
interface Leaf {
  readonly path: readonly string[];
  readonly schema: JsonSchema;
}

/** Settings that are paths. */
export const PATH_SETTINGS = [
  'index.embedder',
  'index.folder',
  'auth.tokens',
  'telemetry.audit',
  'store.cache',
];

/** A path of a setting, made absolute: a relative one starts at `folder`. Other texts stay as they are. */
export function absolutePath(setting: string, text: string, folder: string, home: string): string {
  if (!PATH_SETTINGS.includes(setting) || ['', 'stderr', 'memory'].includes(text)) return text;
  // The id of a model looks like a relative path.
  if (setting === 'index.embedder' && !/^[.~]/.test(text)) return text;
  return resolve(folder, fromHome(text, home));
}

export function leaves(): Leaf[] {
  return below(configJsonSchema(), []).filter(({ path: [section] }) => section !== '$schema');
}

function below(schema: JsonSchema, path: readonly string[]): Leaf[] {
  if (schema.properties !== undefined)
    return Object.entries(schema.properties).flatMap(([name, part]) => below(part, [...path, name]));
  // Other lists than lists of texts can only be set in the file.
  if (schema.type === 'array' && schema.items?.type !== 'string') return [];
  // A switch may also be a mapping with more settings.
  const more = (schema.anyOf ?? []).filter(({ properties }) => properties !== undefined);
  return [{ path, schema }, ...more.flatMap((part) => below(part, path))];
}

/** The overrides of the environment: their paths are relative to the working directory. An empty variable counts as unset. */
export function overridesOfEnvironment(
  env: Readonly<Record<string, string | undefined>>,
  base: Directories,
): Override[] {
  const known = new Map(leaves().map((leaf) => [leaf.path.join('.'), leaf]));
  return Object.entries(VARIABLES).flatMap(([variable, name]) => {
    const text = env[variable];
    const leaf = known.get(name);
    if (text === undefined || text === '' || leaf === undefined) return [];
    const from = { where: variable, line: null, column: null };
    return { path: leaf.path, value: parsedText(text, leaf, base), from };
  });
}

/** The overrides of `--set path=value`. Throws `ConfigError` for an unknown setting. */
export function overridesOfFlags(flags: readonly string[], base: Directories): Override[] {
  if (flags.length === 0) return [];
  const known = leaves();
  const names = known.map(({ path }) => path.join('.'));
  return flags.map((flag) => {
    const [, name = '', text] = /^([^=]*)=(.*)$/s.exec(flag) ?? ['', flag];
    const from = { where: `--set ${name}`, line: null, column: null };
    const leaf = known.find(({ path }) => path.join('.') === name);
    if (leaf === undefined) {
      const message = `There is no setting with this name that takes one value.${suggestion(name, names)}`;
      throw new ConfigError([{ ...from, message }]);
    }
    if (text === undefined)
      throw new ConfigError([{ ...from, message: `It needs a value: --set ${name}=VALUE.` }]);
    return { path: leaf.path, value: parsedText(text, leaf, base), from };
  });
}

/** Parses a text as the type of a setting. The schema refuses what remains invalid. */
function parsedText(text: string, { path, schema }: Leaf, { cwd, home }: Directories): unknown {
  const types = (schema.anyOf ?? [schema]).map(({ type }) => type);
  if (types.includes('array')) return text === '' ? [] : text.split(',').map((part) => part.trim());
  if (types.includes('boolean')) return BOOLEANS.get(text.toLowerCase()) ?? text;
  if (types.includes('integer') && /^\d{1,15}$/.test(text)) return Number(text);
  return absolutePath(path.join('.'), text, cwd, home);
}

const BOOLEANS = new Map([
  ['true', true],
  ['1', true],
  ['false', false],
  ['0', false],
]);

/** Applies the overrides. A switch becomes a mapping; another value that is none stays, and the schema refuses it. */
export function overridden(value: unknown, overrides: readonly Override[]): unknown {
  return overrides.reduce((whole, { path, value: part }) => placed(whole ?? {}, path, part), value);
}

function placed(whole: unknown, [first, ...rest]: readonly string[], part: unknown): unknown {
  if (first === undefined) return part;
  if (typeof whole === 'boolean') return placed({}, [first, ...rest], part);
  if (typeof whole !== 'object' || whole === null || Array.isArray(whole)) return whole;
  const inner = Object.hasOwn(whole, first) ? Reflect.get(whole, first) : undefined;
  return { ...whole, [first]: placed(inner ?? {}, rest, part) };
}
