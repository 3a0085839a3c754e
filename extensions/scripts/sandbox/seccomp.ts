/**
 * The system call filter for a sandboxed process and all its children: a classic BPF program for `bwrap --seccomp`.
 * It allows the calls of `allowed-calls.ts`, processes without new namespaces, and Unix sockets, of which a script sees
 * only its own; for a run with a proxy also TCP, to reach the sandbox's own loopback. Any other call fails, so one that a
 * newer kernel adds is closed until it is listed. Assembled here: a few dozen lines save a native library.
 */

import { ALLOWED } from './allowed-calls.ts';
import { type Architecture, ERRNO, LOOKED_INTO, REFUSED } from './syscalls.ts';

/** One instruction of classic BPF: linux/filter.h, struct sock_filter. */
interface Instruction {
  readonly code: number;
  /** Instructions to skip if the test holds, and if it does not. */
  readonly jt: number;
  readonly jf: number;
  readonly k: number;
}

/** Bytes of an instruction. */
const INSTRUCTION_BYTES = 8;

/** linux/bpf_common.h: BPF_LD | BPF_W | BPF_ABS, BPF_JMP | … | BPF_K, BPF_RET | BPF_K. */
const LOAD = 0x20;
const JUMP_EQUAL = 0x15;
const JUMP_AT_LEAST = 0x35;
const JUMP_ANY_BIT = 0x45;
const RETURN = 0x06;

/** Offsets in struct seccomp_data, little endian; the low half of an argument comes first. */
const NUMBER = 0;
const ARCHITECTURE = 4;
const FIRST_ARGUMENT = 16;
const SECOND_ARGUMENT = 24;
const THIRD_ARGUMENT = 32;

/** linux/seccomp.h. */
const ALLOW = 0x7fff_0000;
const KILL_PROCESS = 0x8000_0000;
const ERROR = 0x0005_0000;

/** linux/audit.h: AUDIT_ARCH_X86_64 and AUDIT_ARCH_AARCH64. */
const AUDIT: Record<Architecture, number> = { x64: 0xc000_003e, arm64: 0xc000_00b7 };
/** Calls of the x32 ABI have this bit in their number, so they would match no number of the list. */
const X32 = 0x4000_0000;
/** linux/sched.h: CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID and NEWNET. */
const NEW_NAMESPACES = 0x7e02_0000;
const AF_UNIX = 1;
const [AF_INET, AF_INET6] = [2, 10];
/** linux/net.h: SOCK_STREAM is 1, in the low four bits of a type; the others are flags. */
const SOCK_STREAM = 1;
const OTHER_TYPES = 0xe;
/** No MPTCP, no SCTP. */
const IPPROTO_TCP = 6;

/**
 * Which sockets a program may make: `unix` ones, of which it sees only its own; also `tcp`, in a network of its own.
 */
export type Sockets = 'unix' | 'tcp';

const load = (k: number): Instruction => ({ code: LOAD, jt: 0, jf: 0, k });
const answer = (k: number): Instruction => ({ code: RETURN, jt: 0, jf: 0, k });
const test = (code: number, k: number, jt: number, jf: number): Instruction => ({ code, jt, jf, k });

/** Allows Unix sockets only. */
const UNIX_ALONE = [
  load(FIRST_ARGUMENT),
  test(JUMP_EQUAL, AF_UNIX, 1, 0),
  answer(ERROR | ERRNO.EAFNOSUPPORT),
  answer(ALLOW),
];
/** Allows Unix sockets and TCP. */
const UNIX_AND_TCP = [
  load(FIRST_ARGUMENT),
  test(JUMP_EQUAL, AF_UNIX, 9, 0),
  test(JUMP_EQUAL, AF_INET, 1, 0),
  test(JUMP_EQUAL, AF_INET6, 0, 6),
  load(SECOND_ARGUMENT),
  test(JUMP_ANY_BIT, OTHER_TYPES, 4, 0),
  test(JUMP_ANY_BIT, SOCK_STREAM, 0, 3),
  load(THIRD_ARGUMENT),
  test(JUMP_EQUAL, 0, 2, 0),
  test(JUMP_EQUAL, IPPROTO_TCP, 1, 0),
  answer(ERROR | ERRNO.EAFNOSUPPORT),
  answer(ALLOW),
];

const SOCKETS: Readonly<Record<Sockets, readonly Instruction[]>> = {
  unix: UNIX_ALONE,
  tcp: UNIX_AND_TCP,
};

/** Kills the process on a call of another architecture, where numbers mean other calls. */
export function seccompFilter(architecture: Architecture, sockets: Sockets): Uint8Array {
  const looked = [
    { call: LOOKED_INTO.socket, rest: SOCKETS[sockets] },
    { call: LOOKED_INTO.socketpair, rest: UNIX_ALONE },
  ];
  const byFamily = looked.flatMap(({ call, rest }) => [
    test(JUMP_EQUAL, call[architecture], 0, rest.length),
    ...rest,
  ]);
  const refusals = REFUSED.flatMap((call) => {
    const number = call[architecture];
    return number === null ? [] : [test(JUMP_EQUAL, number, 0, 1), answer(ERROR | call.errno)];
  });
  return encoded([
    load(ARCHITECTURE),
    test(JUMP_EQUAL, AUDIT[architecture], 1, 0),
    answer(KILL_PROCESS),
    load(NUMBER),
    ...(architecture === 'x64' ? [test(JUMP_AT_LEAST, X32, 0, 1), answer(ERROR | ERRNO.ENOSYS)] : []),
    test(JUMP_EQUAL, LOOKED_INTO.clone[architecture], 0, 4),
    load(FIRST_ARGUMENT),
    test(JUMP_ANY_BIT, NEW_NAMESPACES, 0, 1),
    answer(ERROR | ERRNO.EPERM),
    answer(ALLOW),
    ...byFamily,
    ...refusals,
    ...allowedRanges(architecture).flatMap(([first, last]) => [
      test(JUMP_AT_LEAST, last + 1, 3, 0),
      test(JUMP_AT_LEAST, first, 0, 1),
      answer(ALLOW),
      answer(ERROR | ERRNO.ENOSYS),
    ]),
    answer(ERROR | ERRNO.ENOSYS),
  ]);
}

/** The numbers of allowed calls as ranges, ascending: half as many tests as numbers. */
function allowedRanges(architecture: Architecture): [first: number, last: number][] {
  const numbers = Object.values(ALLOWED)
    .map(([x64, arm64]) => (architecture === 'x64' ? x64 : arm64))
    .filter((number) => number !== null)
    .sort((a, b) => a - b);
  const ranges: [first: number, last: number][] = [];
  for (const number of numbers) {
    const range = ranges.at(-1);
    if (range !== undefined && number === range[1] + 1) range[1] = number;
    else ranges.push([number, number]);
  }
  return ranges;
}

function encoded(program: readonly Instruction[]): Uint8Array {
  const bytes = new Uint8Array(program.length * INSTRUCTION_BYTES);
  const view = new DataView(bytes.buffer);
  for (const [at, { code, jt, jf, k }] of program.entries()) {
    const offset = at * INSTRUCTION_BYTES;
    view.setUint16(offset, code, true);
    view.setUint8(offset + 2, jt);
    view.setUint8(offset + 3, jf);
    view.setUint32(offset + 4, k, true);
  }
  return bytes;
}
