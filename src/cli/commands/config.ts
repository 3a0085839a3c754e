/** `skillgate config`: whether the configuration is valid, what is in force, and what it may say. */

import { stringify } from 'yaml';
import { ConfigError } from '../config/errors.ts';
import { configJsonSchema } from '../config/json-schema.ts';
import { masked } from '../config/mask.ts';
import { EXIT } from '../exit-codes.ts';
import { colours, print, printJson, say } from '../output.ts';
import { type CommonOptions, configuredBy, type Settings, settingsOf, surroundings } from '../settings.ts';
import { placeText } from './sources.ts';

export function check(options: CommonOptions): void {
  let settings: Settings;
  try {
    settings = settingsOf(options, surroundings());
  } catch (error) {
    if (options.json !== true || !(error instanceof ConfigError)) throw error;
    printJson({ valid: false, problems: error.problems });
    process.exitCode = EXIT.usage;
    return;
  }
  const { configFile, lockFile, frozen, indexFolder, sources } = settings;
  const config = masked(settings.config);
  const inForce = sources.map(({ name, priority, config: { kind } }) => ({ name, kind, priority }));
  if (options.json === true) {
    printJson({ valid: true, file: configFile, lockFile, frozen, indexFolder, sources: inForce, config });
    return;
  }
  say(
    configFile === null
      ? 'There is no configuration file: these are the defaults.'
      : `${configFile} is valid.`,
  );
  print(colours.bold('# Sources in force, the first leads'));
  for (const { name, config: source } of sources) print(`#   ${name} (${source.kind}) ${placeText(source)}`);
  if (sources.length === 0) print('#   none');
  print(`# Index: ${indexFolder}`);
  if (frozen) print(`# Frozen at ${lockFile}`);
  print(stringify(config, { lineWidth: 0 }).trimEnd());
}

export function schema(): void {
  printJson(configJsonSchema());
}

export function path(options: CommonOptions): void {
  const { file } = configuredBy(options, surroundings());
  if (options.json === true) printJson({ file });
  else if (file !== null) print(file);
  else say('There is no configuration file here or in a folder above.');
  if (file === null) process.exitCode = EXIT.notFound;
}
