/** From a value to a `Config`, or to all that is wrong with it at once. Where the value was read is `read.ts`'s affair. */

import { ConfigError, type ConfigProblem } from './errors.ts';
import { configJsonSchema } from './json-schema.ts';
import { type Override, overridden } from './overrides.ts';
import { refusalsOf } from './problems.ts';
import { type Config, configSchema } from './schema.ts';
import type { ConfigPath } from './text.ts';

export interface ConfigReading {
  readonly config: Config;
  /** Where a setting stands that turns out wrong later. */
  readonly placeOf: (path: ConfigPath) => Omit<ConfigProblem, 'message'>;
}

/** Without a file: defaults, and what flags and environment say. Throws `ConfigError`. */
export function configWithoutFile(overrides: readonly Override[]): ConfigReading {
  const nowhere = () => ({ where: 'The configuration', line: null, column: null });
  return checkConfig({}, overrides, nowhere, nowhere);
}

/** `valueAt` and `keyAt` say where a value or key stands in the file. Throws `ConfigError`. */
export function checkConfig(
  value: unknown,
  overrides: readonly Override[],
  valueAt: ConfigReading['placeOf'],
  keyAt: ConfigReading['placeOf'],
): ConfigReading {
  const whole = overridden(value, overrides);
  const givenElsewhere = (path: ConfigPath) =>
    overrides.findLast((override) => override.path.every((part, at) => path[at] === part))?.from;
  const placeOf = (path: ConfigPath) => givenElsewhere(path) ?? valueAt(path);
  const parsed = configSchema.safeParse(whole);
  if (parsed.success) return { config: parsed.data, placeOf };
  const refusals = refusalsOf(parsed.error.issues, whole, configJsonSchema());
  const problems = refusals.map(({ path, isKey, message }) => ({
    ...(isKey ? (givenElsewhere(path) ?? keyAt(path)) : placeOf(path)),
    message,
  }));
  throw new ConfigError(
    problems.sort((a, b) => (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0)),
  );
}
