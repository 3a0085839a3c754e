/**
 * Every single setting of the configuration from the command line (`--set limits.callsPerMinute=100`) and from the
 * environment (`SKILLGATE_LIMITS_CALLS_PER_MINUTE`). Sources and rules are lists of their own and stand in the file.
 */

import { resolve } from 'node:path';
import { maySaySomething } from './defaults.ts';
import { ConfigError, type ConfigProblem } from './errors.ts';
import { configJsonSchema, type JsonSchema } from './json-schema.ts';
import { meant } from './problems.ts';

/** One setting that does not come from the file. */
export interface Override {
  readonly path: readonly string[];
  /** As the schema shall see it. */
  readonly value: unknown;
  /** What to name where it is refused. */
  readonly from: Omit<ConfigProblem, 'message'>;
}

/** A setting with one value, or a list of texts, that no list of the file holds. */
export interface Leaf {
  readonly path: readonly string[];
  /** `SKILLGATE_LIMITS_CALLS_PER_MINUTE`. */
  readonly variable: string;
  readonly schema: JsonSchema;
}

/** `index` has shorter variables of its own, which are older. */
const INDEX_VARIABLES: Readonly<Record<string, string>> = {
  'index.folder': 'SKILLGATE_INDEX',
  'index.embedder': 'SKILLGATE_EMBEDDER',
  'index.vectors': 'SKILLGATE_VECTORS',
};
/** Settings that name files or folders: those given outside of the file are relative to where the caller stands. */
export const PATH_SETTINGS: ReadonlySet<string> = new Set([
  'index.folder',
  'auth.tokens',
  'http.tls.cert',
  'http.tls.key',
  'telemetry.audit',
]);

export function leaves(): Leaf[] {
  return below(configJsonSchema(), []).filter(({ path: [section] }) => section !== '$schema');
}

function below(schema: JsonSchema, path: readonly string[]): Leaf[] {
  if (schema.properties !== undefined)
    return Object.entries(schema.properties).flatMap(([name, part]) => below(part, [...path, name]));
  // Lists of anything but texts stand in the file alone.
  if (schema.type === 'array' && schema.items?.type !== 'string') return [];
  return [{ path, variable: variableOf(path), schema }];
}

function variableOf(path: readonly string[]): string {
  const short = INDEX_VARIABLES[path.join('.')];
  const words = path.map((part) => part.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase());
  return short ?? `SKILLGATE_${words.join('_')}`;
}

/** From the environment; an empty variable counts as not given. */
export function overridesOfEnvironment(
  env: Readonly<Record<string, string | undefined>>,
  cwd: string,
): Override[] {
  if (!maySaySomething(env)) return [];
  return leaves().flatMap((leaf) => {
    const text = env[leaf.variable];
    if (text === undefined || text === '') return [];
    const from = { where: leaf.variable, line: null, column: null };
    return { path: leaf.path, value: meaningOf(text, leaf, cwd), from };
  });
}

/** From `--set path=value`. Throws `ConfigError` for a setting that there is not. */
export function overridesOfFlags(flags: readonly string[], cwd: string): Override[] {
  if (flags.length === 0) return [];
  const known = leaves();
  const names = known.map(({ path }) => path.join('.'));
  return flags.map((flag) => {
    const [, name = '', text] = /^([^=]*)=(.*)$/s.exec(flag) ?? ['', flag];
    const from = { where: `--set ${name}`, line: null, column: null };
    const leaf = known.find(({ path }) => path.join('.') === name);
    if (leaf === undefined) {
      const message = `There is no setting of that name that takes one value.${meant(name, names)}`;
      throw new ConfigError([{ ...from, message }]);
    }
    if (text === undefined)
      throw new ConfigError([{ ...from, message: `It needs a value: --set ${name}=VALUE.` }]);
    return { path: leaf.path, value: meaningOf(text, leaf, cwd), from };
  });
}

/** What the text means for that setting; what it cannot mean is left to the schema to refuse. */
function meaningOf(text: string, { path, schema }: Leaf, cwd: string): unknown {
  const types = (schema.anyOf ?? [schema]).map(({ type }) => type);
  if (types.includes('array')) return text === '' ? [] : text.split(',').map((part) => part.trim());
  if (types.includes('boolean')) return BOOLEANS.get(text.toLowerCase()) ?? text;
  if (types.includes('integer') && /^\d{1,15}$/.test(text)) return Number(text);
  const isPath = PATH_SETTINGS.has(path.join('.')) && text !== 'stderr';
  return isPath && !text.startsWith('~') ? resolve(cwd, text) : text;
}

const BOOLEANS = new Map([
  ['true', true],
  ['1', true],
  ['false', false],
  ['0', false],
]);

/** The value with the overrides in place; a value that is no mapping is left to the schema to refuse. */
export function overridden(value: unknown, overrides: readonly Override[]): unknown {
  return overrides.reduce((whole, { path, value: part }) => placed(whole ?? {}, path, part), value);
}

function placed(whole: unknown, [first, ...rest]: readonly string[], part: unknown): unknown {
  if (first === undefined) return part;
  if (typeof whole !== 'object' || whole === null || Array.isArray(whole)) return whole;
  const inner = Object.hasOwn(whole, first) ? Reflect.get(whole, first) : undefined;
  return { ...whole, [first]: placed(inner ?? {}, rest, part) };
}
