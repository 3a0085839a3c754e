/** From the text of a configuration file to a `Config`. Its parser is loaded with it, so where there is no file, neither is. */

import { type ConfigReading, checkConfig } from './check.ts';
import type { Override } from './overrides.ts';
import { readConfigText } from './text.ts';

/** Throws `ConfigError`, and nothing else, whatever the text. An empty file says nothing. */
export function readConfig(text: string, file: string, overrides: readonly Override[] = []): ConfigReading {
  const { value, valueAt, keyAt } = readConfigText(text, file);
  return checkConfig(value ?? {}, overrides, valueAt, keyAt);
}
