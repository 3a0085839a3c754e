/** A server in a bubblewrap sandbox: confined as a script is, but with the folders and the network that it is given. */

import { type ChildProcess, type ChildProcessByStdio, spawn } from 'node:child_process';
import { closeSync, constants, openSync } from 'node:fs';
import type { Readable, Writable } from 'node:stream';
import {
  type Bubblewrap,
  feed,
  groupIn,
  joinGroup,
  KERNEL_BYTES,
  numbered,
  withNothingInherited,
} from './bubblewrap.ts';
import { confinement } from './confinement.ts';
import type { GroupLimits } from './control-group.ts';
import { serverCommand } from './launcher.ts';
import { type ConfinedServer, SandboxError, type ServerRequest } from './sandbox.ts';
import { seccompFilter } from './seccomp.ts';

/** Descriptors of the child after its standard streams. */
const [ARGUMENTS, FILTER, FIRST_SUPPLY] = [3, 4, 5];
/** Bubblewrap and the launcher. */
const SET_UP_PROCESSES = 2;

/** Starts `program`, a path inside the sandbox. Rejects with `SANDBOX_FAILED`. */
export async function startConfined(
  request: ServerRequest,
  program: string,
  programs: Readonly<Record<string, string>>,
  { bwrap, architecture, runAs, host, groups }: Bubblewrap,
): Promise<ConfinedServer> {
  const { args: given, env, cwd, read, write, network, limits } = request;
  const confined = {
    ...{ env, readOnly: [], work: [], stdin: new Uint8Array(), programs, proxySocket: null },
    workBytes: limits.workBytes,
    shared: { read, write },
    machineNetwork: network,
    cwd,
  };
  const { args, supplies } = numbered(confinement(confined, host), FIRST_SUPPLY);
  const group = groups === null ? null : await groupIn(groups, groupLimits(limits));
  const nothing = openSync('/dev/null', constants.O_RDONLY);
  const child = spawn(
    bwrap,
    [
      '--seccomp',
      String(FILTER),
      '--args',
      String(ARGUMENTS),
      '--',
      ...serverCommand(program, given, limits),
    ],
    {
      cwd: '/',
      env: {},
      detached: true,
      stdio: withNothingInherited(Array(FIRST_SUPPLY + supplies.length).fill('pipe'), nothing),
      ...(runAs !== null && { uid: runAs, gid: runAs }),
    },
  );
  closeSync(nothing);
  // One that cannot be started has an error and no exit.
  for (const end of ['exit', 'error']) child.once(end, () => void group?.remove());
  await started(child);
  await joinGroup(group, child);
  feed(child, ARGUMENTS, Buffer.from(args.map((argument) => `${argument}\0`).join('')));
  feed(child, FILTER, seccompFilter(architecture, network ? 'internet' : 'unix'));
  for (const [at, bytes] of supplies.entries()) feed(child, FIRST_SUPPLY + at, bytes);
  return child as ChildProcessByStdio<Writable, Readable, Readable>;
}

const started = (child: ChildProcess) =>
  new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve).once('error', (cause) => {
      reject(
        new SandboxError('SANDBOX_FAILED', `bubblewrap cannot be started: ${cause.message}.`, { cause }),
      );
    });
  });

const groupLimits = ({ memoryBytes, workBytes, processes }: ServerRequest['limits']): GroupLimits => ({
  memoryBytes: memoryBytes + workBytes + KERNEL_BYTES,
  processes: processes + SET_UP_PROCESSES,
});
