/** Parts of a run, and runs that cannot be set up; open.test.ts has those that can. */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { joinGroup, runConfined } from '../../../../extensions/scripts/sandbox/bubblewrap.ts';
import type { ControlGroup } from '../../../../extensions/scripts/sandbox/control-group.ts';
import { temporaryFolder } from '../../../temporary-folder.ts';

let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
});

const limits = {
  wallMs: 20_000,
  cpuMs: 20_000,
  memoryBytes: 2 ** 28,
  processes: 16,
  fileBytes: 2 ** 20,
  workBytes: 2 ** 22,
  outputBytes: 2 ** 16,
};
const run = {
  command: 'sh',
  args: [],
  readOnly: [],
  work: [],
  stdin: new Uint8Array(),
  env: {},
  limits,
  keep: { files: 1, bytes: 1 },
};
const layer = {
  bwrap: '/bin/false',
  architecture: 'x64' as const,
  runAs: null,
  host: { linkAt: () => undefined },
  groups: null,
  now: () => 0,
};

describe.skipIf(process.platform !== 'linux')('a sandbox that cannot be set up', () => {
  it.each([
    ['ends at once', '/bin/false', 'ended before anything was run'],
    ['says why', '/bin/cat', 'unrecognized option'],
    ['is not there', '/nowhere/bwrap', 'ended before anything was run'],
  ])('fails a run: bubblewrap %s', async (_, bwrap, says) => {
    await expect(runConfined(run, '/bin/sh', {}, { ...layer, bwrap })).rejects.toMatchObject({
      code: 'SANDBOX_FAILED',
      message: expect.stringContaining(says),
    });
  });

  it('fails runs whose control group cannot be created', async () => {
    const without = { ...layer, groups: join(folder, 'none') };
    await expect(runConfined(run, '/bin/sh', {}, without)).rejects.toMatchObject({
      code: 'SANDBOX_FAILED',
      message: expect.stringContaining('No control group'),
    });
  });

  it('has a control group for what is written, given and needed by the kernel too', async () => {
    const given = [{ path: 'a', bytes: new Uint8Array(5_000) }];
    const request = { ...run, readOnly: given, stdin: new Uint8Array(300) };
    const MIB = 2 ** 20;
    // The files of this folder stay, since only the kernel removes a group with them.
    const fake = { ...layer, groups: folder };
    const limitsIn = (group: string) =>
      ['memory.max', 'pids.max'].map((file) => Number(readFileSync(join(folder, group, file), 'latin1')));
    await expect(runConfined(request, '/bin/sh', {}, fake)).rejects.toMatchObject({ code: 'SANDBOX_FAILED' });
    const [first = ''] = readdirSync(folder);
    // Bubblewrap, the launcher and a forwarder.
    expect(limitsIn(first)).toEqual([256 * MIB + 4 * MIB + 5_300 + 64 * MIB, 19]);
    expect(Number(readFileSync(join(folder, first, 'cgroup.procs'), 'latin1'))).toBeGreaterThan(1);
  });
});

describe('joinGroup', () => {
  const groupThat = (add: ControlGroup['add']) => ({ add }) as ControlGroup;
  let child: ChildProcess;
  beforeEach(() => {
    child = spawn('cat');
  });
  afterEach(() => {
    child.kill('SIGKILL');
  });

  it('moves the process, before anything else is there', async () => {
    const add = vi.fn(async () => {});
    await joinGroup(groupThat(add), child);
    expect(add.mock.calls).toEqual([[child.pid]]);
    await joinGroup(null, child);
    const missing = spawn('/nowhere/program').on('error', () => {});
    await joinGroup(groupThat(add), missing);
    expect(add).toHaveBeenCalledTimes(1);
  });

  it('ends a process that the group does not take', async () => {
    const ended = once(child, 'exit');
    const refused = groupThat(() => Promise.reject(new Error('EBUSY')));
    await expect(joinGroup(refused, child)).rejects.toMatchObject({
      code: 'SANDBOX_FAILED',
      message: expect.stringContaining('EBUSY'),
    });
    expect(await ended).toEqual([null, 'SIGKILL']);
    expect(child.stdin?.destroyed).toBe(true);
  });
});
