/** From the text of a configuration file to a `Config`, or to all that is wrong with it at once. */

import { ConfigError, type ConfigProblem } from './errors.ts';
import { configJsonSchema } from './json-schema.ts';
import { type Override, overridden } from './overrides.ts';
import { refusalsOf } from './problems.ts';
import { type Config, configSchema } from './schema.ts';
import { type ConfigPath, readConfigText } from './text.ts';

export interface ConfigReading {
  readonly config: Config;
  /** Where a setting stands that turns out wrong later. */
  readonly placeOf: (path: ConfigPath) => Omit<ConfigProblem, 'message'>;
}

/** Throws `ConfigError`, and nothing else, whatever the text. An empty file says nothing. */
export function readConfig(text: string, file: string, overrides: readonly Override[] = []): ConfigReading {
  const { value, valueAt, keyAt } = readConfigText(text, file);
  return checked(value ?? {}, overrides, valueAt, keyAt);
}

/** Without a file: defaults, and what flags and environment say. */
export function configWithoutFile(overrides: readonly Override[]): ConfigReading {
  const nowhere = () => ({ where: 'The configuration', line: null, column: null });
  return checked({}, overrides, nowhere, nowhere);
}

function checked(
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
  throw new ConfigError(
    refusals.map(({ path, isKey, message }) => ({
      ...(isKey ? (givenElsewhere(path) ?? keyAt(path)) : placeOf(path)),
      message,
    })),
  );
}
