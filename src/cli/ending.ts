/** Runs the command line and turns whatever happens into a message and an exit code. */

import { type Command, CommanderError } from 'commander';
import { IndexError } from '#index';
import { GatewayError } from '../gateway/gateway.ts';
import { CliError, EXIT, type ExitCode } from './exit-codes.ts';
import { colours, say } from './output.ts';

const NOT_FOUND = new Set([
  'SKILL_UNKNOWN',
  'SKILL_AMBIGUOUS',
  'SKILL_GONE',
  'SECTION_UNKNOWN',
  'PATH_UNKNOWN',
]);
const BAD_REQUEST = new Set(['REQUEST_INVALID', 'LINES_INVALID', 'PATH_REFUSED']);

/** The exit code is set, not forced: output still in the pipe is written. A reader that left (`| head`) is no error. */
export function endWith(program: Command): void {
  for (const stream of [process.stdout, process.stderr])
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EPIPE') process.exit();
      throw error;
    });
  overrideExit(program);
  program.parseAsync().catch((error: unknown) => {
    process.exitCode = report(error);
  });
}

function overrideExit(command: Command): void {
  command.exitOverride();
  for (const inner of command.commands) overrideExit(inner);
}

function report(error: unknown): ExitCode {
  // commander has printed its own message by now.
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
  const message = error instanceof Error ? error.message : String(error);
  say(`${colours.red('skillgate:')} ${message}`);
  if (error instanceof GatewayError && error.code === 'SKILL_AMBIGUOUS')
    for (const { id } of candidatesOf(error)) say(`  ${id}`);
  return codeOf(error);
}

/** What an error that ended a command means to a script. */
export function codeOf(error: unknown): ExitCode {
  if (error instanceof CliError) return error.code;
  if (error instanceof GatewayError)
    return NOT_FOUND.has(error.code) ? EXIT.notFound : BAD_REQUEST.has(error.code) ? EXIT.usage : EXIT.failed;
  if (error instanceof IndexError && error.code === 'INDEX_LOCKED') return EXIT.locked;
  return EXIT.failed;
}

/** `SKILL_AMBIGUOUS` carries {id, description} of each candidate. */
const candidatesOf = (error: GatewayError) =>
  (error.data.candidates ?? []) as readonly { readonly id: string }[];
