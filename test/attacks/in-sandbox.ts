/** Programs in the sandbox of this machine, with limits that ordinary ones do not reach. */

import { openSandbox } from '../../extensions/scripts/sandbox/open.ts';
import type { RunRequest } from '../../extensions/scripts/sandbox/sandbox.ts';
import { MACHINE } from '../machine.ts';

const sandbox = openSandbox(MACHINE);
const { guarantees, problems } = await sandbox.status();

/** What `skillgate doctor` says of the sandbox. */
export { guarantees };

/** False where this machine has no sandbox: tests that need one are skipped. */
export const sandboxed = problems.length === 0;

const MIB = 2 ** 20;

export const LIMITS: RunRequest['limits'] = {
  wallMs: 100_000,
  cpuMs: 60_000,
  memoryBytes: 512 * MIB,
  processes: 64,
  fileBytes: 8 * MIB,
  workBytes: 32 * MIB,
  outputBytes: MIB,
};
const PLAIN: Omit<RunRequest, 'command' | 'args'> = {
  readOnly: [],
  work: [],
  stdin: new Uint8Array(),
  env: {},
  limits: LIMITS,
  keep: { files: 0, bytes: 0 },
};

/** The result, with its output as text. */
export async function inSandbox(command: string, args: readonly string[], more: Partial<RunRequest> = {}) {
  const result = await sandbox.run({ ...PLAIN, command, args, ...more });
  const [stdout, stderr] = [result.stdout, result.stderr].map((bytes) => Buffer.from(bytes).toString('utf8'));
  return { ...result, stdout: stdout ?? '', stderr: stderr ?? '' };
}
