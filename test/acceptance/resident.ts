/** Commands of the built program, in one process that stays: `resident-program.ts`. */

import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { programOf } from '../peers/program-of.ts';
import type { Command, Printed } from './resident-program.ts';

let child: ChildProcess | null = null;
/** Settles when the last command has ended. */
let last: Promise<unknown> = Promise.resolve();

function started(program: string): ChildProcess {
  const [file = '', ...args] = programOf(join(import.meta.dirname, 'resident-program.ts'), program).args;
  const begun = fork(file, args, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'], execArgv: [] });
  // It does not keep the tests' process alive.
  begun.unref();
  begun.channel?.unref();
  begun.once('exit', () => {
    child = null;
  });
  return begun;
}

async function printed(program: string, command: Command): Promise<Printed> {
  child ??= started(program);
  const ended = new AbortController();
  const answer = once(child, 'message', { signal: ended.signal });
  const exit = once(child, 'exit', { signal: ended.signal });
  child.send(command);
  try {
    const [result] = await Promise.race([answer, exit]);
    if (typeof result !== 'object' || result === null)
      throw new Error(
        `The process of the commands ended with ${result} in: skillgate ${command.args.join(' ')}`,
      );
    return result as Printed;
  } finally {
    ended.abort();
    answer.catch(() => {});
    exit.catch(() => {});
  }
}

/** What the command of `program` prints. Commands that are given at the same time run one after the other. */
export function resident(program: string, command: Command): Promise<Printed> {
  const result = last.then(() => printed(program, command));
  last = result.catch(() => {});
  return result;
}
