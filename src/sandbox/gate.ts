/**
 * The first process inside a sandbox: a few lines of the system's shell that wait until the sandbox is watched, start
 * the command under the kernel's limits, tell how it ended, and wait to be ended with everything else. Being the first
 * process it cannot be killed from inside, and buries what the command leaves behind.
 */

import { PROXY_PORT, PROXY_SOCKET, STDIN_FILE } from './confinement.ts';
import type { Limits } from './sandbox.ts';

/** Descriptors over which the gate is talked to; the command gets neither. */
export const GATE_IN = 3;
export const GATE_OUT = 4;

/** The gate counts as a process too. */
const OWN_PROCESSES = 1;
/** Open files of each process: plenty for programs, and a bound of what the kernel keeps for them. */
const OPEN_FILES = 256;
/** Stack of a thread, bytes: what Linux gives by default. */
const STACK_BYTES = 8 * 2 ** 20;

/** Its program is in the sandbox like the script, under the same filter and limits: it can do nothing more. */
export const FORWARDER = 'socat';
/** Connections at a time; others wait. Each is a process of the sandbox. */
const FORWARDED = 32;
/** Looks at whether the forwarder listens, 10 ms apart. */
const MOST_LOOKS = 1_000;
/** A line of /proc/net/tcp: 127.0.0.1 and the port, as this order of bytes has them, in the state LISTEN. */
const LISTENS = `0100007F:${PROXY_PORT.toString(16).toUpperCase().padStart(4, '0')} 00000000:0000 0A`;

/** From the port where programs look for a proxy to the socket where it is. */
const forwarding = (bounds: readonly string[]) => `prlimit ${bounds.join(' ')} -- ${FORWARDER} \
  TCP4-LISTEN:${PROXY_PORT},bind=127.0.0.1,fork,max-children=${FORWARDED} UNIX-CONNECT:${PROXY_SOCKET} \
  </dev/null >/dev/null 2>&1 ${GATE_IN}<&- ${GATE_OUT}>&- &
looks=0
until grep -q '${LISTENS}' /proc/net/tcp; do
  looks=$((looks + 1))
  [ $looks -lt ${MOST_LOOKS} ] || { echo '${FORWARDER} does not listen.' >&2; exit 125; }
  sleep 0.01
done
`;

/** Raising one's own badness needs no right: where memory runs out, the kernel ends a script before the server. */
const script = (before: string) => `echo 1000 >/proc/self/oom_score_adj
${before}echo ready >&${GATE_OUT}
read -r go <&${GATE_IN} || exit 125
"$@" <${STDIN_FILE} ${GATE_IN}<&- ${GATE_OUT}>&-
echo "exit $?" >&${GATE_OUT}
read -r end <&${GATE_IN}`;

/** The command as bubblewrap starts it: the gate, then `prlimit` (util-linux), then the command itself. */
export function gated(command: string, args: readonly string[], limits: Limits, wayOut: boolean): string[] {
  const seconds = Math.max(1, Math.ceil(limits.cpuMs / 1_000));
  const bounds = [
    `--cpu=${seconds}:${seconds + 1}`,
    // Not the address space: Node.js and Go reserve far more of it than they use.
    `--data=${limits.memoryBytes}`,
    `--stack=${Math.min(STACK_BYTES, limits.memoryBytes)}`,
    `--fsize=${limits.fileBytes}`,
    `--nproc=${limits.processes + OWN_PROCESSES + (wayOut ? 1 : 0)}`,
    `--nofile=${OPEN_FILES}`,
    '--core=0',
    '--memlock=65536',
    '--msgqueue=0',
  ];
  const text = script(wayOut ? forwarding(bounds) : '');
  return ['/bin/sh', '-c', text, 'gate', 'prlimit', ...bounds, '--', command, ...args];
}

/** What the gate says before it waits for the command to be let in. */
export const READY = 'ready';

/** The exit code in what the gate says at the end, as shells give it; null for anything else. */
export function exitCodeIn(line: string): number | null {
  const found = /^exit (\d{1,3})$/.exec(line)?.[1];
  return found === undefined ? null : Number(found);
}
