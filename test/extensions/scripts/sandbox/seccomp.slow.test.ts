/** The filter, run by a classic BPF interpreter as the kernel would run it. */

import { existsSync, readFileSync } from 'node:fs';
import { beforeEach, describe, expect, it } from 'vitest';
import { ALLOWED } from '../../../../extensions/scripts/sandbox/allowed-calls.ts';
import { seccompFilter } from '../../../../extensions/scripts/sandbox/seccomp.ts';
import {
  type Architecture,
  ERRNO,
  LOOKED_INTO,
  REFUSED,
} from '../../../../extensions/scripts/sandbox/syscalls.ts';

const AUDIT = { x64: 0xc000003e, arm64: 0xc00000b7 };
const PASS = 0x7fff0000;
const KILL = 0x80000000;
const errno = (number: number) => 0x00050000 + number;

/** struct seccomp_data with the number, the architecture, and the first arguments. */
function verdict(program: Uint8Array, arch: number, number: number, ...given: readonly bigint[]): number {
  const data = new DataView(new ArrayBuffer(64));
  data.setUint32(0, number, true);
  data.setUint32(4, arch, true);
  for (const [at, argument] of given.entries()) data.setBigUint64(16 + 8 * at, argument, true);
  const code = new DataView(program.buffer);
  let accumulator = 0;
  for (let at = 0; at < program.length / 8; at++) {
    const [operation, jt, jf, k] = [
      code.getUint16(at * 8, true),
      code.getUint8(at * 8 + 2),
      code.getUint8(at * 8 + 3),
      code.getUint32(at * 8 + 4, true),
    ];
    if (operation === 0x06) return k;
    if (operation === 0x20) accumulator = data.getUint32(k, true);
    else if (operation === 0x15) at += accumulator === k ? jt : jf;
    else if (operation === 0x35) at += accumulator >= k ? jt : jf;
    else if (operation === 0x45) at += (accumulator & k) !== 0 ? jt : jf;
    else throw new Error(`unknown instruction ${operation}`);
  }
  throw new Error('the program ran off its end');
}

describe.each<Architecture>(['x64', 'arm64'])('the filter for %s', (architecture) => {
  let filter: Uint8Array;
  beforeEach(() => {
    filter = seccompFilter(architecture, 'unix');
  });
  const ask = (number: number, ...given: readonly bigint[]) =>
    verdict(filter, AUDIT[architecture], number, ...given);

  it('refuses every listed call with its own error', () => {
    for (const call of REFUSED) {
      const number = call[architecture];
      if (number !== null) expect(ask(number), call.name).toBe(errno(call.errno));
    }
  });

  it('allows every call of the list, whatever its arguments', () => {
    for (const [name, [x64, arm64]] of Object.entries(ALLOWED)) {
      const number = architecture === 'x64' ? x64 : arm64;
      if (number !== null) expect(ask(number, 2n ** 64n - 1n), name).toBe(PASS);
    }
  });

  it('refuses any other call as unknown, also those that no kernel has yet', () => {
    const listed = new Set([
      ...Object.values(ALLOWED).map(([x64, arm64]) => (architecture === 'x64' ? x64 : arm64)),
      ...REFUSED.map((call) => call[architecture]),
      ...Object.values(LOOKED_INTO).map((call) => call[architecture]),
    ]);
    let unknown = 0;
    for (let number = 0; number < 2_000; number++) {
      if (listed.has(number)) continue;
      unknown++;
      expect(ask(number, 1n), String(number)).toBe(errno(ERRNO.ENOSYS));
    }
    // io_uring and clone3 have the same numbers everywhere.
    for (const number of [425, 426, 427, 435]) expect(listed.has(number)).toBe(false);
    expect(unknown).toBeGreaterThan(1_500);
  });

  it('allows Unix sockets and no others', () => {
    for (const call of [LOOKED_INTO.socket, LOOKED_INTO.socketpair]) {
      expect(ask(call[architecture], 1n)).toBe(PASS);
      // Inet, inet6, netlink, packet, alg, vsock.
      for (const family of [0n, 2n, 10n, 16n, 17n, 38n, 40n])
        expect(ask(call[architecture], family)).toBe(errno(ERRNO.EAFNOSUPPORT));
    }
  });

  it('allows threads and processes, but no new namespace', () => {
    const { clone } = LOOKED_INTO;
    // fork's SIGCHLD; the flags of pthread_create.
    for (const flags of [0x11n, 0x3d0f00n]) expect(ask(clone[architecture], flags)).toBe(PASS);
    for (const bit of [0x20000n, 0x2000000n, 0x4000000n, 0x8000000n, 0x10000000n, 0x20000000n, 0x40000000n])
      expect(ask(clone[architecture], 0x11n | bit)).toBe(errno(ERRNO.EPERM));
  });

  it('kills processes that use another architecture’s numbers', () => {
    expect(verdict(filter, 0x40000003, 11)).toBe(KILL);
  });
});

describe.each<Architecture>(['x64', 'arm64'])('the filter for %s of a run with a proxy', (architecture) => {
  let filter: Uint8Array;
  beforeEach(() => {
    filter = seccompFilter(architecture, 'tcp');
  });
  const ask = (number: number, ...given: readonly bigint[]) =>
    verdict(filter, AUDIT[architecture], number, ...given);
  const socket = LOOKED_INTO.socket[architecture];
  const refusal = errno(ERRNO.EAFNOSUPPORT);

  it('allows Unix sockets and TCP, with any flags', () => {
    expect(ask(socket, 1n, 2n, 0n)).toBe(PASS);
    for (const family of [2n, 10n])
      for (const flags of [0n, 0x800n, 0x80000n, 0x80800n])
        for (const protocol of [0n, 6n]) expect(ask(socket, family, 1n | flags, protocol)).toBe(PASS);
  });

  it('allows no UDP, no raw sockets, no other protocol over streams, no other family', () => {
    for (const family of [2n, 10n]) {
      for (const type of [0n, 2n, 3n, 4n, 5n, 6n, 10n, 0x80802n])
        expect(ask(socket, family, type, 0n)).toBe(refusal);
      // SCTP, MPTCP, SMC.
      for (const protocol of [132n, 262n, 256n]) expect(ask(socket, family, 1n, protocol)).toBe(refusal);
    }
    for (const family of [0n, 16n, 17n, 38n, 40n]) expect(ask(socket, family, 1n, 0n)).toBe(refusal);
    expect(ask(LOOKED_INTO.socketpair[architecture], 2n, 1n, 0n)).toBe(refusal);
  });

  it('equals the filter of other runs for every other call', () => {
    const other = seccompFilter(architecture, 'unix');
    for (let number = 0; number < 1_000; number++) {
      if (number === socket) continue;
      for (const argument of [0n, 1n, 2n, 0x7e020000n])
        expect(ask(number, argument)).toBe(verdict(other, AUDIT[architecture], number, argument));
    }
  });
});

/** The kernel's own headers, where they are installed. */
const HEADERS = {
  x64: '/usr/include/x86_64-linux-gnu/asm/unistd_64.h',
  arm64: '/usr/include/asm-generic/unistd.h',
};

describe.each<Architecture>(['x64', 'arm64'])('the numbers for %s', (architecture) => {
  it.skipIf(!existsSync(HEADERS[architecture]))('are those of the kernel', () => {
    const header = new Map(
      [
        ...readFileSync(HEADERS[architecture], 'latin1').matchAll(/^#define __NR(?:3264)?_(\w+) (\d+)$/gm),
      ].map(([, name = '', number]) => [name === 'fstatat' ? 'newfstatat' : name, Number(number)]),
    );
    const numbers = [
      ...Object.entries(ALLOWED).map(([name, [x64, arm64]]) => [name, { x64, arm64 }] as const),
      ...REFUSED.map((call) => [call.name, call] as const),
      ...Object.entries(LOOKED_INTO),
    ];
    for (const [name, call] of numbers) {
      const known = header.get(name);
      // Headers older than the call do not have it.
      if (known !== undefined) expect(call[architecture], name).toBe(known);
    }
    expect(header.size).toBeGreaterThan(200);
  });
});

describe('the filter for x64', () => {
  it('refuses the x32 variants, which have numbers of their own', () => {
    expect(verdict(seccompFilter('x64', 'unix'), AUDIT.x64, 0x40000000 + 1)).toBe(errno(ERRNO.ENOSYS));
  });
});
