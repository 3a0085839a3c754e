/** What several commands take, and how values of options are read. */

import { type Command, InvalidArgumentError, Option } from 'commander';

export const collect = (value: string, all: readonly string[] = []) => [...all, value];

export function wholeNumber(value: string): number {
  const number = Number(value);
  if (!Number.isInteger(number)) throw new InvalidArgumentError('It must be a whole number.');
  return number;
}

/** Every command takes these. */
export function common(command: Command): Command {
  return command
    .option(
      '--skills <dir>',
      'folder with skills; repeat for several (default: those that agents use)',
      collect,
    )
    .option('--index <dir>', 'folder of the index (default: one in the user cache for this set of folders)')
    .option(
      '--embedder <model>',
      'embedding model: a transformers.js id or folder (default: the shipped one)',
    )
    .addOption(
      new Option('--vectors <mode>', 'how vectors are searched (default: auto)').choices([
        'auto',
        'exact',
        'hnsw',
      ]),
    )
    .option('--json', 'print JSON')
    .option('--config <file>', 'configuration (default: the nearest skillgate.config.json or .yaml upwards)')
    .option('--set <path=value>', 'one setting of the configuration; repeat for several', collect)
    .option('--frozen', 'keep fetched sources at what skillgate.lock.json says');
}
