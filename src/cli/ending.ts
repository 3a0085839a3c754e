/** Runs the command line and turns every outcome into a message and an exit code. */

import { type Command, CommanderError } from 'commander';
import { IndexError } from '../../index/errors.ts';
import { AppError, ConfigError } from '../app/app-error.ts';
import { errorMessage, systemCode } from '../base/errors.ts';
import { asLine } from '../base/lines.ts';
import { GatewayError } from '../gateway/gateway.ts';
import { CliError, EXIT, type ExitCode } from './exit-codes.ts';
import { colours, say, sayIfVerbose } from './output.ts';

/** Exit codes of the errors that do not end with 1, by error code. */
const EXIT_OF: Readonly<Record<string, ExitCode>> = {
  SKILL_UNKNOWN: EXIT.notFound,
  SKILL_AMBIGUOUS: EXIT.notFound,
  SKILL_GONE: EXIT.notFound,
  SECTION_UNKNOWN: EXIT.notFound,
  PATH_UNKNOWN: EXIT.notFound,
  SCRIPT_UNKNOWN: EXIT.notFound,
  REQUEST_INVALID: EXIT.usage,
  LINES_INVALID: EXIT.usage,
  PATH_REFUSED: EXIT.usage,
  SCRIPT_ARGUMENTS: EXIT.usage,
  INDEX_LOCKED: EXIT.locked,
  HOST_PUBLIC: EXIT.usage,
  PORT_INVALID: EXIT.usage,
  CONFIG_INVALID: EXIT.usage,
  CONFIG_UNREADABLE: EXIT.usage,
  SETTING_INVALID: EXIT.usage,
  FOLDER_MISSING: EXIT.usage,
  LOCATION_INVALID: EXIT.usage,
  LOCK_MISMATCH: EXIT.usage,
  USAGE: EXIT.usage,
  NO_SKILLS: EXIT.usage,
  NOT_FOUND: EXIT.notFound,
};

/** Commands that never fail their caller: a host would refuse the prompt. They say why only with --verbose. */
const NEVER_FAIL: ReadonlySet<string | undefined> = new Set(['hint']);

/** Sets the exit code instead of exiting, so that pending output is written. A closed pipe (`| head`) is no error. */
export async function runProgram(program: Command): Promise<void> {
  for (const stream of [process.stdout, process.stderr])
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EPIPE') process.exit();
      if (stream === process.stdout)
        process.stderr.write(`skillgate: The output cannot be written: ${error.message}.\n`);
      process.exit(EXIT.failed);
    });
  overrideExit(program);
  try {
    await program.parseAsync(parseArguments(program, process.argv.slice(2)), { from: 'user' });
  } catch (error) {
    if (!NEVER_FAIL.has(process.argv[2])) process.exitCode = report(error);
    else if (!(error instanceof CommanderError)) sayIfVerbose(errorMessage(error));
  }
}

/** Without --help behind a command that does not exist: commander would show help, and not name the nearest command. */
function parseArguments(program: Command, words: readonly string[]): string[] {
  let at = program;
  for (const word of words) {
    if (word.startsWith('-') || word === 'help' || at.commands.length === 0) break;
    const inner = at.commands.find((command) => [command.name(), ...command.aliases()].includes(word));
    if (inner === undefined) return words.filter((each) => each !== '--help' && each !== '-h');
    at = inner;
  }
  return [...words];
}

function overrideExit(command: Command): void {
  command.exitOverride();
  command.configureOutput({
    outputError(text, write) {
      const lines = text.trimEnd().split('\n');
      write(`${lines.map((line) => asLine(line, colours.isColorSupported)).join('\n')}\n`);
    },
  });
  for (const inner of command.commands) overrideExit(inner);
}

function report(error: unknown): ExitCode {
  // commander has already printed its own message.
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
  const [first = '', ...more] = error instanceof ConfigError ? error.lines : [errorMessage(error)];
  say(`${colours.red('skillgate:')} ${first}`);
  for (const line of more) say(line);
  if (error instanceof GatewayError && error.code === 'SKILL_AMBIGUOUS')
    for (const { id } of listCandidates(error)) say(`  ${id}`);
  return exitCode(error);
}

/** The exit code for an error that ended a command. */
export function exitCode(error: unknown): ExitCode {
  const isOurs = [AppError, CliError, GatewayError, IndexError].some((known) => error instanceof known);
  return (isOurs ? EXIT_OF[systemCode(error) ?? ''] : undefined) ?? EXIT.failed;
}

/** `SKILL_AMBIGUOUS` carries {id, description} of each candidate. */
const listCandidates = (error: GatewayError) =>
  (error.data.candidates ?? []) as readonly { readonly id: string }[];
