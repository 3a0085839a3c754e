/** What `--help` prints: commands in groups, those that a person needs first at the top, and lines that fit a terminal. */

import { type Argument, Command } from 'commander';
import { wrapped } from './output.ts';

const EXIT_CODES =
  'Exit codes: 0 done, 1 failed, 2 wrong usage, 3 nothing found, 4 invalid skills, 5 index locked by another writer, 7 not confirmed, 8 eval below its limit.';

/** Columns of a help text. */
const HELP_WIDTH = 80;

/** Commands by the heading under which `--help` lists them; others follow at the end. */
const GROUPS = {
  'First:': 'connect search load explore validate doctor',
  'Skills and the index:': 'index read list stats why usage eval',
  'Agents and servers:': 'serve hint instructions context demo run',
  'Settings:': 'config sources trust policy token cache store forget completion help',
} as const;

const argumentTerm = (argument: Argument) => {
  const name = `${argument.name()}${argument.variadic ? '…' : ''}`;
  return argument.required ? `<${name}>` : `[${name}]`;
};

/** Sets the form of the help of all commands: before they are added, since they inherit it. */
export function describeCommands(skillgate: Command): void {
  skillgate
    .configureHelp({
      minWidthToWrap: 20,
      subcommandTerm: (command) =>
        [command.name(), ...command.registeredArguments.map(argumentTerm)].join(' '),
    })
    .addHelpCommand(new Command('help').argument('[command]').description('print the help of a command'))
    .configureOutput({ getOutHelpWidth: () => HELP_WIDTH, getErrHelpWidth: () => HELP_WIDTH })
    .addHelpText(
      'after',
      `\n${wrapped(EXIT_CODES, HELP_WIDTH).join('\n')}\n\nskillgate index --help shows options that every command takes.`,
    );
}

/** Sorts the commands by group. */
export function groupCommands(skillgate: Command): void {
  const places = new Map(
    Object.entries(GROUPS).flatMap(([heading, names], group) =>
      names
        .split(' ')
        .map((name, at): [string, { heading: string; at: number }] => [
          name,
          { heading, at: 100 * group + at },
        ]),
    ),
  );
  const helpPlace = (command: Command) => places.get(command.name()) ?? { heading: 'More:', at: 1_000 };
  for (const command of skillgate.createHelp().visibleCommands(skillgate))
    command.helpGroup(helpPlace(command).heading);
  (skillgate.commands as Command[]).sort((a, b) => helpPlace(a).at - helpPlace(b).at);
}
