/** Checks a value against the schema: a `Config`, or all problems at once. Reading files is left to `layers.ts`. */

import { ConfigError, type ConfigProblem } from '../app-error.ts';
import { configJsonSchema } from './json-schema.ts';
import { type Override, overridden } from './overrides.ts';
import { toRefusals } from './problems.ts';
import { type Config, configSchema } from './schema.ts';
import type { ConfigPath } from './text.ts';

export interface ConfigReading {
  readonly config: Config;
  /** Where a setting comes from, for problems that are found later. */
  readonly placeOf: (path: ConfigPath) => Omit<ConfigProblem, 'message'>;
}

/** The defaults with the overrides of flags and environment. Throws `ConfigError`. */
export function configWithoutFile(overrides: readonly Override[]): ConfigReading {
  const nowhere = () => ({ where: 'The configuration', line: null, column: null });
  return checkConfig({}, overrides, nowhere, nowhere);
}

/** `valueAt` and `keyAt` locate a value or key in the file. Throws `ConfigError`. */
export function checkConfig(
  value: unknown,
  overrides: readonly Override[],
  valueAt: ConfigReading['placeOf'],
  keyAt: ConfigReading['placeOf'],
): ConfigReading {
  const merged = overridden(value, overrides);
  const overriddenBy = (path: ConfigPath) =>
    overrides.findLast((override) => override.path.every((part, at) => path[at] === part))?.from;
  const findPlace = (path: ConfigPath) => overriddenBy(path) ?? valueAt(path);
  const withNul = findNul(merged);
  if (withNul !== null) throw new ConfigError([{ ...findPlace(withNul), message: NUL }]);
  const parsed = configSchema.safeParse(merged);
  if (parsed.success) return { config: parsed.data, placeOf: findPlace };
  const refusals = toRefusals(parsed.error.issues, merged, configJsonSchema());
  const problems = refusals.map(({ path, isKey, message }) => ({
    ...(isKey ? (overriddenBy(path) ?? keyAt(path)) : findPlace(path)),
    message,
  }));
  throw new ConfigError(
    problems.sort((a, b) => (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0)),
  );
}

const NUL = 'The value has a NUL character (\\0), which no path, name or address can have. Remove it.';

/** The path of the first text with a NUL character: the system refuses it in a path, without saying which. */
function findNul(value: unknown, path: ConfigPath = []): ConfigPath | null {
  if (typeof value === 'string') return value.includes('\0') ? path : null;
  if (typeof value !== 'object' || value === null) return null;
  const entries = Array.isArray(value) ? [...value.entries()] : Object.entries(value);
  for (const [key, part] of entries) {
    const found = findNul(part, [...path, key]);
    if (found !== null) return found;
  }
  return null;
}
