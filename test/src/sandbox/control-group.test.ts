/** Control groups over a folder with the kernel's files; test/attacks/control-group.test.ts uses the kernel's own. */

import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createGroup, findGroups } from '../../../src/sandbox/control-group.ts';

let mount: string;
beforeEach(() => {
  mount = mkdtempSync(join(tmpdir(), 'skillgate-groups-'));
});
afterEach(() => rmSync(mount, { recursive: true, force: true }));

function group(path: string, controllers = 'cpu memory pids', enabled = controllers): string {
  const folder = join(mount, path);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'cgroup.controllers'), `${controllers}\n`);
  writeFileSync(join(folder, 'cgroup.subtree_control'), `${enabled}\n`);
  writeFileSync(join(folder, 'cgroup.procs'), '');
  return folder;
}
const mountinfo = (root = '/') =>
  `22 1 0:20 / /proc rw - proc proc rw\n35 25 0:30 ${root} ${mount} rw,nosuid shared:9 - cgroup2 cgroup2 rw\n`;
const found = (own: string, root?: string) =>
  findGroups({ mountinfo: mountinfo(root), membership: `4:memory:/elsewhere\n0::${own}\n` });

describe('the folder for groups', () => {
  it('is the group of the server if controllers can be enabled there', async () => {
    const folder = group('service', 'cpu io memory pids', '');
    expect(await found('/service')).toEqual({ folder });
    expect(readFileSync(join(folder, 'cgroup.subtree_control'), 'latin1')).toBe('+memory +pids +cpu');
  });

  it('is the delegated one above it, as systemd makes it for DelegateSubgroup', async () => {
    const parent = group('service');
    group('service/server', '');
    expect(await found('/service/server')).toEqual({ folder: parent });
  });

  it('is found below the root of a mount that shows a part of the tree', async () => {
    const folder = group('service');
    expect(await found('/docker/service', '/docker')).toEqual({ folder });
  });

  it('is missing, with the reason and the way out: not mounted, no controllers', async () => {
    expect(await findGroups({ mountinfo: '', membership: '0::/\n' })).toEqual({
      problem: 'cgroup v2 is not mounted.',
    });
    const folder = group('service', 'hugetlb', '');
    const result = await found('/service');
    expect(result).toEqual({
      problem: expect.stringContaining(`${folder}: the controllers memory, pids, cpu are not there`),
    });
    expect(JSON.stringify(result)).toContain('Delegate=memory pids cpu');
    // Nothing was changed.
    expect(readFileSync(join(folder, 'cgroup.subtree_control'), 'latin1')).toBe('\n');
  });

  it('loses the groups of killed processes, and keeps those of living ones', async () => {
    const folder = group('service');
    // Larger than any pid of Linux.
    for (const name of ['skillgate-4194305-0', `skillgate-${process.pid}-99`, 'other'])
      mkdirSync(join(folder, name));
    await found('/service');
    expect(
      ['skillgate-4194305-0', `skillgate-${process.pid}-99`, 'other'].map((name) =>
        existsSync(join(folder, name)),
      ),
    ).toEqual([false, true, true]);
  });
});

describe('a group', () => {
  const LIMITS = { memoryBytes: 1_000, processes: 7 };
  const own = () => join(mount, readdirSync(mount)[0] ?? '');
  const created = () => createGroup(mount, LIMITS);
  const text = (file: string) => readFileSync(join(own(), file), 'latin1');

  it('has the limits of the run, is ended as a whole, and takes processes', async () => {
    const { add } = await created();
    expect(['memory.max', 'memory.swap.max', 'memory.oom.group', 'pids.max', 'cpu.weight'].map(text)).toEqual(
      [...['1000', '0', '1', '7', '20']],
    );
    await add(4_711);
    expect(text('cgroup.procs')).toBe('4711');
  });

  it('counts buffers of sockets, shared memory and the kernel, but no caches of files', async () => {
    const { usage, ranOutOfMemory } = await created();
    const stat = 'anon 1000\nfile 900000\nkernel 500\nsock 30\nshmem 2\nslab_reclaimable 100\n';
    writeFileSync(join(own(), 'memory.stat'), stat);
    writeFileSync(join(own(), 'cpu.stat'), 'usage_usec 2500000\nuser_usec 1\n');
    // 1,000 + 2 + 30 + (500 − 100); 2,500,000 µs.
    expect(await usage()).toEqual({ cpuMs: 2_500, memoryBytes: 1_432 });
    // Linux before 5.18: 40 + 5 + 300 in place of 500.
    writeFileSync(
      join(own(), 'memory.stat'),
      `${stat.replace('kernel 500\n', '')}kernel_stack 40\npagetables 5\nslab 300\n`,
    );
    expect((await usage()).memoryBytes).toBe(1_000 + 2 + 30 + 345 - 100);
    writeFileSync(join(own(), 'memory.events'), 'max 3\noom 1\noom_kill 0\n');
    expect(await ranOutOfMemory()).toBe(false);
    writeFileSync(join(own(), 'memory.events'), 'max 3\noom 1\noom_kill 2\n');
    expect(await ranOutOfMemory()).toBe(true);
  });
});
