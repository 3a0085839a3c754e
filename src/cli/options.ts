/** Options that several commands share, and parsers of option values. */

import { type Command, InvalidArgumentError, Option } from 'commander';
import { sayIfVerbose } from './output.ts';

export const collect = (value: string, all: readonly string[] = []) => [...all, value];

export function wholeNumber(value: string): number {
  const number = Number(value);
  if (!Number.isInteger(number)) throw new InvalidArgumentError('It must be a whole number.');
  return number;
}

/** Whole numbers from 1 to `most`. */
export const upTo = (most: number) => (value: string) => {
  const number = Number(value);
  if (!(Number.isInteger(number) && number >= 1 && number <= most))
    throw new InvalidArgumentError(`It must be a whole number from 1 to ${most}.`);
  return number;
};

export function share(value: string): number {
  const number = Number(value);
  if (!(number >= 0 && number <= 1)) throw new InvalidArgumentError('It must be a number from 0 to 1.');
  return number;
}

/** A command that other programs run for their users: options that it does not know are no reason to fail. */
export const forgiving = (command: Command): Command =>
  command.allowExcessArguments().allowUnknownOption().configureOutput({ writeErr: sayIfVerbose });

/** Adds the options of every command. */
export function common(command: Command): Command {
  return command
    .option(
      '--skills <dir>',
      'folder with skills; repeat for several (default: the folders that agents use)',
      collect,
    )
    .addOption(new Option('--skills-dir <dir>', 'the same as --skills').hideHelp())
    .on('option:skills-dir', (dir: string) => {
      const before: readonly string[] | undefined = command.getOptionValue('skills');
      command.setOptionValueWithSource('skills', collect(dir, before), 'cli');
    })
    .option('--index <dir>', 'folder of the index (default: in the user cache, one per set of folders)')
    .option(
      '--embedder <model>',
      'embedding model: a transformers.js id or folder (default: the shipped model)',
    )
    .addOption(
      new Option('--vectors <mode>', 'how vectors are searched (default: auto)').choices([
        'auto',
        'exact',
        'hnsw',
      ]),
    )
    .option('--json', 'print JSON')
    .option(
      '--config <file>',
      'configuration (default: the nearest skillgate.config.json or .yaml here or above)',
    )
    .option('--set <path=value>', 'one setting of the configuration; repeat for several', collect)
    .option('--frozen', 'keep fetched sources at the versions of skillgate.lock.json');
}
