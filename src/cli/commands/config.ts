/** `skillgate config`: checks the configuration, prints the settings in use, and prints the schema. */

import { stringify } from 'yaml';
import { ConfigError } from '../../app/app-error.ts';
import { configJsonSchema } from '../../app/config/json-schema.ts';
import { locationText, masked } from '../../app/config/mask.ts';
import { type Configured, configuredBy, processEnvironment } from '../../app/configured.ts';
import { fromExtension } from '../../app/load-extensions.ts';
import type { CommonOptions, Settings } from '../../app/settings.ts';
import { isThere, missingFolders } from '../../app/source-settings.ts';
import { EXIT } from '../exit-codes.ts';
import { colours, print, printJson, printReport, printText, say } from '../output.ts';
import { trustedConfiguration, trustedSettings } from '../trusting.ts';

export async function check(options: CommonOptions): Promise<void> {
  let settings: Settings;
  try {
    settings = await trustedSettings(options);
    await checkSources(settings, await configuredBy(options, processEnvironment()));
  } catch (error) {
    if (options.json !== true || !(error instanceof ConfigError)) throw error;
    printJson({ valid: false, problems: error.problems });
    process.exitCode = EXIT.usage;
    return;
  }
  const { configFile, lockFile, frozen, indexFolder, sources } = settings;
  const config = masked(settings.config);
  const present = sources.filter(isThere);
  const warnings = missingFolders(settings);
  const used = present.map(({ name, config: { kind } }) => ({ name, kind }));
  if (options.json === true) {
    const where = { file: configFile, lockFile, frozen, indexFolder };
    printReport({ valid: true, warnings, ...where, sources: used, config });
    return;
  }
  say(
    configFile === null
      ? 'There is no configuration file. These are the defaults.'
      : `${configFile} is valid.`,
  );
  for (const warning of warnings) say(colours.yellow(warning));
  print(colours.bold('# Sources in use, by rank'));
  for (const { name, config: source } of present)
    print(`#   ${name} (${source.kind}) ${locationText(source)}`);
  if (present.length === 0) print('#   none');
  print(`# Index: ${indexFolder}`);
  if (frozen) print(`# Frozen at ${lockFile}`);
  printText(stringify(config, { lineWidth: 0 }).trimEnd());
}

export function schema(): void {
  printJson(configJsonSchema());
}

export async function path(options: CommonOptions): Promise<void> {
  const { file } = await trustedConfiguration(options);
  if (options.json === true) printJson({ file });
  else if (file !== null) print(file);
  else say('There is no configuration file here or in a parent folder.');
  if (file === null) process.exitCode = EXIT.notFound;
}

/** Throws `ConfigError` with the place of each refused setting. */
async function checkSources(settings: Settings, { sources }: Configured): Promise<void> {
  const remote = await fromExtension('sources', settings);
  const problems = sources.flatMap(({ name, source, placeOf }) => {
    const refusal = remote?.findRefusal(source) ?? null;
    return refusal === null
      ? []
      : [
          {
            ...placeOf([refusal.setting]),
            message: `A refresh of ${name} is refused. ${refusal.message}`,
          },
        ];
  });
  if (problems.length > 0) throw new ConfigError(problems);
}
