/** Checks a value against the schema: a `Config`, or all problems at once. Reading files is left to `layers.ts`. */

import { ConfigError, type Place } from '../app-error.ts';
import { configJsonSchema } from './json-schema.ts';
import { type Override, overridden } from './overrides.ts';
import { toRefusals } from './problems.ts';
import { type Config, configSchema } from './schema.ts';
import type { ConfigPath, ConfigText } from './text.ts';

/** Where the values and keys of a file are. */
type Positions = Pick<ConfigText, 'valueAt' | 'keyAt'>;

const nowhere = (): Place => ({ where: 'The configuration', line: null, column: null });

/** The value with the overrides of flags and environment. Throws `ConfigError`. */
export function checkConfig(
  value: unknown,
  overrides: readonly Override[] = [],
  { valueAt, keyAt }: Positions = { valueAt: nowhere, keyAt: nowhere },
): Config {
  const merged = overridden(value, overrides);
  const overriddenBy = (path: ConfigPath) =>
    overrides.findLast((override) => override.path.every((part, at) => path[at] === part))?.from;
  const withNul = findNul(merged);
  if (withNul !== null)
    throw new ConfigError([{ ...(overriddenBy(withNul) ?? valueAt(withNul)), message: NUL }]);
  const parsed = configSchema.safeParse(merged);
  if (parsed.success) return parsed.data;
  const refusals = toRefusals(parsed.error.issues, merged, configJsonSchema());
  const problems = refusals.map(({ path, isKey, message }) => ({
    ...(overriddenBy(path) ?? (isKey ? keyAt(path) : valueAt(path))),
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
