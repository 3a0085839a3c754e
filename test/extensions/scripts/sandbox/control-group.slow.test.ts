/** Control groups over a folder with the kernel's files; test/attacks/control-group.thorough.test.ts uses the kernel's own. */

import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import {
  createGroup,
  findGroups,
  placeOfThisProcess,
} from '../../../../extensions/scripts/sandbox/control-group.ts';
import { temporaryFolder } from '../../../temporary-folder.ts';

let mount: string;
beforeEach(() => {
  mount = temporaryFolder();
});

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
      problem: expect.stringContaining(`${folder}: the controllers memory, pids, cpu are missing`),
    });
    expect(JSON.stringify(result)).toContain('Delegate=memory pids cpu');
    // Nothing was changed.
    expect(readFileSync(join(folder, 'cgroup.subtree_control'), 'latin1')).toBe('\n');
  });

  it('is the root of the mount where the server is there', async () => {
    const folder = group('.');
    expect(await found('/')).toEqual({ folder: mount });
    expect(folder).toBe(mount);
    expect(await found('/docker', '/docker')).toEqual({ folder: mount });
    expect(await found('/docker/', '/docker')).toEqual({ folder: mount });
  });

  it('is none above the root of the mount, and none in another part of the tree', async () => {
    group('.');
    group('service', '');
    // Only the root has controllers: it is the parent here, and out of sight there.
    expect(await found('/service')).toEqual({ folder: mount });
    const missing = { problem: 'cgroup v2 is not mounted.' };
    expect(await found('/dockers/service', '/docker')).toEqual(missing);
    expect(await findGroups({ mountinfo: mountinfo(), membership: '4:memory:/service\n' })).toEqual(missing);
    const first = mountinfo().replaceAll('cgroup2', 'cgroup');
    expect(await findGroups({ mountinfo: first, membership: '0::/\n' })).toEqual(missing);
  });

  it('reports both folders where neither can be used, and which controllers are missing', async () => {
    group('service', 'cpu pids');
    group('service/server', 'cpu memory');
    const { problem } = { problem: '', ...(await found('/service/server')) };
    expect(problem).toContain(`${join(mount, 'service/server')}: the controllers pids are missing`);
    expect(problem).toContain(`; ${join(mount, 'service')}: the controllers memory are missing`);
    group('one', 'cpu');
    expect(JSON.stringify(await found('/one'))).toContain('the controllers memory, pids are');
    mkdirSync(join(mount, 'empty'));
    expect(JSON.stringify(await found('/empty'))).toContain('ENOENT');
  });

  it('gets the controllers that are not enabled yet, and no second time', async () => {
    const folder = group('service', 'cpu memory pids', 'cpu');
    await found('/service');
    expect(readFileSync(join(folder, 'cgroup.subtree_control'), 'latin1')).toBe('+memory +pids');
    group('service');
    await found('/service');
    expect(readFileSync(join(folder, 'cgroup.subtree_control'), 'latin1')).toBe('cpu memory pids\n');
  });

  it.skipIf(process.platform !== 'linux')(
    'is looked for where the kernel says that this process is',
    async () => {
      const { mountinfo: mounts, membership } = await placeOfThisProcess();
      expect(mounts).toContain(' / ');
      expect(membership).toMatch(/^\d+:/m);
    },
  );

  it('loses the groups of killed processes, and keeps those of living ones', async () => {
    const folder = group('service');
    // Larger than any pid of Linux.
    const names = [
      'skillgate-4194305-0',
      `skillgate-${process.pid}-99`,
      'other',
      'a-skillgate-4194305-0',
      'skillgate-4194305-0-a',
    ];
    for (const name of names) mkdirSync(join(folder, name));
    await found('/service');
    expect(names.map((name) => existsSync(join(folder, name)))).toEqual([false, true, true, true, true]);
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

  it('has a folder of its own, which goes when it is removed', async () => {
    const both = [await created(), await created()];
    const names = readdirSync(mount);
    expect(names).toHaveLength(2);
    for (const name of names) expect(name).toMatch(new RegExp(`^skillgate-${process.pid}-\\d+$`));
    // The kernel's files in it are no hindrance to the kernel; here they are.
    for (const name of names) {
      rmSync(join(mount, name), { recursive: true });
      mkdirSync(join(mount, name));
    }
    await both[0]?.remove();
    expect(readdirSync(mount)).toHaveLength(1);
    await both[1]?.remove();
    await both[1]?.remove();
    expect(readdirSync(mount)).toEqual([]);
  });

  it('is removed once its last process is gone, which may take a moment', async () => {
    const { remove } = await created();
    const folder = own();
    const gone = remove();
    setTimeout(() => {
      rmSync(folder, { recursive: true });
      mkdirSync(folder);
    }, 100);
    await gone;
    expect(existsSync(folder)).toBe(false);
  });

  it('is not created where its folder cannot be', async () => {
    await expect(createGroup(join(mount, 'none'), LIMITS)).rejects.toThrow('ENOENT');
  });

  it('counts nothing where the kernel says nothing', async () => {
    const { usage, ranOutOfMemory } = await created();
    for (const file of ['memory.stat', 'cpu.stat', 'memory.events'])
      writeFileSync(join(own(), file), 'other 5\n');
    expect(await usage()).toEqual({ cpuMs: 0, memoryBytes: 0 });
    expect(await ranOutOfMemory()).toBe(false);
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
