/** Options that several commands share, and parsers of option values. */

import { type Command, InvalidArgumentError, Option } from 'commander';
import { sayIfVerbose } from './output.ts';

export const collect = (value: string, all: readonly string[] = []) => [...all, value];

const oneSetting = () =>
  new Option('--set <path=value>', 'one setting of the configuration; repeat for several').argParser(collect);

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

/** Adds the options of a command that only reads or edits the configuration. */
export const configured = (command: Command): Command =>
  command
    .option('--json', 'print JSON')
    .option(
      '--config <file>',
      'configuration (default: the nearest skillgate.config.json or .yaml here or above)',
    );

/** Adds the options of every command. Those that few need are shown by `skillgate index --help` only. */
export function common(command: Command): Command {
  const rare = (option: Option) => option.hideHelp(command.name() !== 'index');
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
    .addOption(
      rare(
        new Option(
          '--embedder <model>',
          'embedding model: a transformers.js id or folder (default: the shipped model)',
        ),
      ),
    )
    .addOption(
      rare(
        new Option('--vectors <mode>', 'how vectors are searched (default: auto)').choices([
          'auto',
          'exact',
          'hnsw',
        ]),
      ),
    )
    .option('--json', 'print JSON')
    .option(
      '--config <file>',
      'configuration (default: the nearest skillgate.config.json or .yaml here or above)',
    )
    .addOption(rare(oneSetting()))
    .addOption(rare(new Option('--frozen', 'keep fetched sources at the versions of skillgate.lock.json')));
}
