/**
 * Memory that belongs to no process: buffers of sockets, a gigabyte of which 64 processes can hold. Where the kernel lends a
 * control group (`skillgate doctor` says), all of a run together is limited.
 */

import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { guarantees, inSandbox, LIMITS } from './in-sandbox.ts';

const MIB = 2 ** 20;
const said = guarantees.find((line) => line.includes('control group'));
const folder = /^a control group in (.+?): /.exec(said ?? '')?.[1];
if (folder === undefined) console.warn(`Tests of control groups are skipped: ${said}`);

/** Fills the buffers of socket pairs in many processes, and says how much they hold, MiB. */
const BUFFERS = `
import os, socket, time
reader, writer = os.pipe()
for _ in range(40):
    if os.fork() == 0:
        held, kept = 0, []
        for _ in range(60):
            a, b = socket.socketpair()
            for each in (a, b):
                each.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 20); each.setblocking(False)
                try:
                    while True: held += each.send(bytes(65536))
                except BlockingIOError: pass
            kept.append((a, b))
        os.write(writer, b'%d\\n' % (held >> 20))
        time.sleep(30)
        os._exit(0)
total = 0
for _ in range(40): total += int(os.read(reader, 100).split()[0]); print(total, flush=True)
`;

const FORKS = `
import os, time
made = 0
try:
    while True:
        if os.fork() == 0: time.sleep(20); os._exit(0)
        made += 1
except OSError: print(made, flush=True)
`;

/** Ten processes, one after the other: a parent that ends before them never waits for them. */
const ORPHANS = `
import os, time
end = time.time() + 20
while time.time() < end:
    if os.fork() == 0:
        if os.fork() == 0:
            start = time.process_time()
            while time.process_time() - start < 0.3: pass
        os._exit(0)
    os.wait(); time.sleep(0.05)
`;

describe.skipIf(folder === undefined)('a run in a control group', () => {
  it('is ended when buffers of its sockets exceed its memory limit', { timeout: 120_000 }, async () => {
    const limits = { ...LIMITS, memoryBytes: 128 * MIB, workBytes: 8 * MIB };
    const { killedBy, stdout, peakBytes } = await inSandbox('python3', ['-c', BUFFERS], { limits });
    expect({ killedBy }).toEqual({ killedBy: 'memory' });
    // The kernel's limit: memory, files, and what it needs itself.
    expect(peakBytes).toBeLessThan(201 * MIB);
    expect(Number(stdout.trim().split('\n').at(-1) ?? 0)).toBeLessThan(256);
  });

  it('has as many processes as it may, and no more', { timeout: 120_000 }, async () => {
    const { stdout } = await inSandbox('python3', ['-c', FORKS], {
      limits: { ...LIMITS, processes: 12, wallMs: 10_000 },
    });
    expect(Number(stdout)).toBeGreaterThan(8);
    expect(Number(stdout)).toBeLessThanOrEqual(12);
  });

  it('is ended by the processor time of all its processes, also of those that nobody waited for', {
    timeout: 120_000,
  }, async () => {
    const limits = { ...LIMITS, cpuMs: 2_000 };
    expect(await inSandbox('python3', ['-c', ORPHANS], { limits })).toMatchObject({ killedBy: 'cpu-time' });
  });

  it('may write all of its work folder next to all of its memory', { timeout: 120_000 }, async () => {
    const limits = { ...LIMITS, memoryBytes: 64 * MIB, workBytes: 32 * MIB, fileBytes: 32 * MIB };
    const write =
      'held = bytearray(40 << 20)\nf = open("all", "wb")\nfor _ in range(30): f.write(bytes(1 << 20))\nprint(len(held) >> 20)';
    expect(await inSandbox('python3', ['-c', write], { limits })).toMatchObject({
      exitCode: 0,
      killedBy: null,
      stdout: '40\n',
    });
  });

  it('leaves no group behind', async () => {
    await inSandbox('true', []);
    expect(readdirSync(folder ?? '').filter((name) => name.startsWith(`skillgate-${process.pid}-`))).toEqual(
      [],
    );
  });
});
