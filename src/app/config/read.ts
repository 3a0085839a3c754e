/** Parses the text of a configuration file. Separate from `check.ts`, so that only a file loads the YAML parser. */

import { type ConfigReading, checkConfig } from './check.ts';
import type { Override } from './overrides.ts';
import { readConfigText } from './text.ts';

/** Throws only `ConfigError`, for any text. An empty file means the defaults. */
export function readConfig(text: string, file: string, overrides: readonly Override[] = []): ConfigReading {
  const { value, valueAt, keyAt } = readConfigText(text, file);
  return checkConfig(value ?? {}, overrides, valueAt, keyAt);
}
