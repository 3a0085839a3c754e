/**
 * Runs commands of the built program in this one process, each in its own folder and environment, one at a time:
 * loading and compiling the program is most of what a short command costs. `resident.ts` sends them.
 */

import { readFileSync } from 'node:fs';
import * as nodeModule from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { constants, Script } from 'node:vm';

export interface Command {
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
}

export interface Printed {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

const [, , program = ''] = process.argv;
let loaded: { readonly run: () => Promise<void> } | null = null;

/** The built program without what starts it (`src/cli/compiled.ts`). */
function load() {
  const filename = join(dirname(program), 'program.cjs');
  const script = new Script(readFileSync(filename, 'latin1'), {
    filename,
    importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  });
  const { href } = pathToFileURL(program);
  const require = nodeModule.createRequire(href);
  // Optional packages lie beside the program, and not beside this module, which is bundled into a folder of its own.
  const locate = (name: string) =>
    nodeModule.isBuiltin(name) ? name : pathToFileURL(require.resolve(name)).href;
  return script.runInThisContext()(require, href, (name: string) => import(locate(name)));
}

/** Keeps what is written to the stream instead of writing it. */
function kept(stream: NodeJS.WriteStream): () => string {
  const chunks: Buffer[] = [];
  stream.removeAllListeners('error');
  stream.write = (chunk: string | Uint8Array, ...rest: unknown[]) => {
    chunks.push(Buffer.from(chunk as Uint8Array));
    const done = rest.findLast((each) => typeof each === 'function') as (() => void) | undefined;
    if (done !== undefined) process.nextTick(done);
    return true;
  };
  return () => Buffer.concat(chunks).toString();
}

async function run({ args, cwd, env }: Command): Promise<Printed> {
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, env);
  process.chdir(cwd);
  process.argv = [process.execPath, program, ...args];
  process.exitCode = undefined;
  const [stdout, stderr] = [kept(process.stdout), kept(process.stderr)];
  loaded ??= load();
  await loaded?.run();
  for (const signal of ['SIGHUP', 'SIGINT', 'SIGTERM']) process.removeAllListeners(signal);
  return { code: Number(process.exitCode ?? 0), stdout: stdout(), stderr: stderr() };
}

process.on('message', async (command: Command) => process.send?.(await run(command)));
// The tests have ended.
process.on('disconnect', () => process.exit());
