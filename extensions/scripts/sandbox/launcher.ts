/**
 * Process 1 of a sandbox: a short shell script that waits until the sandbox is watched, starts the command under
 * the kernel's limits, reports its exit code, and then waits to be killed with everything else. As process 1 it
 * cannot be killed from inside, and it reaps orphaned processes.
 */

import { PROXY_PORT, PROXY_SOCKET, STDIN_FILE } from './confinement.ts';
import type { Limits } from './sandbox.ts';

/** Descriptors for talking to the launcher; the command does not get them. */
const LAUNCHER_IN = 3;
const LAUNCHER_OUT = 4;

/** The launcher counts as a process too. */
const OWN_PROCESSES = 1;
/** Open files per process: plenty for programs, and a bound on kernel memory. */
const OPEN_FILES = 256;
const EVERY_BOUND = ['--core=0', '--memlock=65536', '--msgqueue=0'];
/** Stack of a thread, bytes: the default on Linux. */
const STACK_BYTES = 8 * 2 ** 20;

/**
 * The port forwarder. It runs inside the sandbox under the script's filter and limits, so it can do no more than
 * the script.
 */
export const FORWARDER = 'socat';
/** Connections at a time; further ones wait. Each is a process of the sandbox. */
const FORWARDED = 32;
/** Checks whether the forwarder listens, 10 ms apart. */
const MAX_CHECKS = 1_000;
/** A line of /proc/net/tcp: 127.0.0.1 (little endian) and the port, in state LISTEN. */
const LISTENS = `0100007F:${PROXY_PORT.toString(16).toUpperCase().padStart(4, '0')} 00000000:0000 0A`;

/** Forwards the port where programs look for a proxy to the proxy's socket. */
const forwarding = (bounds: readonly string[]) => `prlimit ${bounds.join(' ')} -- ${FORWARDER} \
  TCP4-LISTEN:${PROXY_PORT},bind=127.0.0.1,fork,max-children=${FORWARDED} UNIX-CONNECT:${PROXY_SOCKET} \
  </dev/null >/dev/null 2>&1 ${LAUNCHER_IN}<&- ${LAUNCHER_OUT}>&- &
checks=0
until grep -q '${LISTENS}' /proc/net/tcp; do
  checks=$((checks + 1))
  [ $checks -lt ${MAX_CHECKS} ] || { echo '${FORWARDER} does not listen.' >&2; exit 125; }
  sleep 0.01
done
`;

/**
 * Raising one's own OOM score needs no privilege: when memory runs out, the kernel kills the script before the
 * server.
 */
const script = (before: string) => `echo 1000 >/proc/self/oom_score_adj
${before}echo ready >&${LAUNCHER_OUT}
read -r go <&${LAUNCHER_IN} || exit 125
"$@" <${STDIN_FILE} ${LAUNCHER_IN}<&- ${LAUNCHER_OUT}>&-
echo "exit $?" >&${LAUNCHER_OUT}
read -r end <&${LAUNCHER_IN}`;

/** The command line for bubblewrap: the launcher, then `prlimit` (util-linux), then the command itself. */
export function launchCommand(
  command: string,
  args: readonly string[],
  limits: Limits,
  hasProxy: boolean,
): string[] {
  const seconds = Math.max(1, Math.ceil(limits.cpuMs / 1_000));
  const bounds = [
    `--cpu=${seconds}:${seconds + 1}`,
    // No limit on the address space: Node.js and Go reserve far more of it than they use.
    `--data=${limits.memoryBytes}`,
    `--stack=${Math.min(STACK_BYTES, limits.memoryBytes)}`,
    `--fsize=${limits.fileBytes}`,
    `--nproc=${limits.processes + OWN_PROCESSES + (hasProxy ? 1 : 0)}`,
    `--nofile=${OPEN_FILES}`,
    ...EVERY_BOUND,
  ];
  const text = script(hasProxy ? forwarding(bounds) : '');
  return ['/bin/sh', '-c', text, 'launcher', 'prlimit', ...bounds, '--', command, ...args];
}

/** What the launcher writes before it waits for the start signal. */
export const READY = 'ready';

/** The exit code in the launcher's last line, as shells give it; null for anything else. */
export function exitCodeIn(line: string): number | null {
  const found = /^exit (\d{1,3})$/.exec(line)?.[1];
  return found === undefined ? null : Number(found);
}
