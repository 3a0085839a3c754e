/**
 * A control group (cgroup v2) for one run: the kernel limits the memory of all its processes together, buffers of sockets and
 * kernel structures included, and their number, and gives them less processor time than the server. Created next to the
 * server's own group, or below it, if that is delegated to this user; `doctor` says why not where there is none. Without one,
 * `memory-watch.ts` alone limits all processes together.
 *
 * Source: Linux, Documentation/admin-guide/cgroup-v2.rst.
 */

import { constants } from 'node:fs';
import { access, mkdir, readdir, readFile, rmdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { errorMessage } from '../../../src/base/errors.ts';

/** Where this process finds its control groups; tests name another folder. */
export interface Place {
  /** The texts of `/proc/self/mountinfo` and `/proc/self/cgroup`. */
  readonly mountinfo: string;
  readonly membership: string;
}

/** A folder in which groups can be created, or why there is none. */
export type Groups = { readonly folder: string } | { readonly problem: string };

export interface GroupLimits {
  readonly memoryBytes: number;
  readonly processes: number;
}

export interface ControlGroup {
  /** Moves a process into the group. Its later children start there. */
  add(pid: number): Promise<void>;
  /** Processor time of all processes, also of those that ended, ms; and memory without caches of files, bytes. */
  usage(): Promise<{ readonly cpuMs: number; readonly memoryBytes: number }>;
  /** Whether the kernel ended processes because the group reached its memory limit. */
  ranOutOfMemory(): Promise<boolean>;
  /** Call once its processes have ended. */
  remove(): Promise<void>;
}

const CONTROLLERS = ['memory', 'pids', 'cpu'] as const;
/** Without this one the kernel would allow scripts as much of a busy processor as the server: 100 is the default. */
const CPU_WEIGHT = 20;
/** Groups of this program: `skillgate-<pid>-<number>`. */
const NAME = /^skillgate-(\d+)-\d+$/;
/** The kernel may need a moment after the last process before it lets a group go. */
const REMOVALS = { attempts: 50, pauseMs: 20 };
const DELEGATE =
  'Delegate a group to it: `Delegate=memory pids cpu` with `DelegateSubgroup=server` in its unit, or start it by `systemd-run --user --scope --property=Delegate=yes`.';

export async function placeOfThisProcess(): Promise<Place> {
  const [mountinfo, membership] = await Promise.all(
    ['/proc/self/mountinfo', '/proc/self/cgroup'].map((path) => readFile(path, 'utf8').catch(() => '')),
  );
  return { mountinfo: mountinfo ?? '', membership: membership ?? '' };
}

/** Finds a folder for groups, enables the controllers in it, and removes what a killed process left there. */
export async function findGroups(place: Place): Promise<Groups> {
  const own = ownFolder(place);
  if (own === null) return { problem: 'cgroup v2 is not mounted.' };
  const problems: string[] = [];
  for (const folder of own.parent === null ? [own.folder] : [own.folder, own.parent]) {
    const problem = await problemIn(folder);
    if (problem === null) {
      await removeLeft(folder);
      return { folder };
    }
    problems.push(`${folder}: ${problem}`);
  }
  return { problem: `${problems.join('; ')}. ${DELEGATE}` };
}

/** This process's group, and the one above it if it is in sight. Both files are described in proc(5) and cgroups(7). */
function ownFolder({ mountinfo, membership }: Place): { folder: string; parent: string | null } | null {
  const [, own] = /^0::(\/.*)$/m.exec(membership) ?? [];
  for (const line of mountinfo.split('\n')) {
    const [before = '', after = ''] = line.split(' - ');
    if (own === undefined || !after.startsWith('cgroup2 ')) continue;
    const [, , , root = '', at = ''] = before.split(' ');
    const base = root === '/' ? '' : root;
    if (own !== base && !own.startsWith(`${base}/`)) continue;
    const below = own.slice(base.length);
    return below === '' || below === '/'
      ? { folder: at, parent: null }
      : { folder: join(at, below), parent: join(at, below, '..') };
  }
  return null;
}

/** Null if groups with these limits can be created in a folder. */
async function problemIn(folder: string): Promise<string | null> {
  try {
    const has = words(await readFile(join(folder, 'cgroup.controllers'), 'latin1'));
    const missing = CONTROLLERS.filter((name) => !has.includes(name));
    if (missing.length > 0)
      return `the controllers ${missing.join(', ')} are missing (cgroup v1 may have them)`;
    // Moving a process needs this right in the group above the old and the new one.
    for (const file of ['', 'cgroup.procs']) await access(join(folder, file), constants.W_OK);
    const enabled = words(await readFile(join(folder, 'cgroup.subtree_control'), 'latin1'));
    const wanted = CONTROLLERS.filter((name) => !enabled.includes(name));
    // Fails with EBUSY in a group that has processes of its own, except at the root.
    if (wanted.length > 0)
      await writeFile(join(folder, 'cgroup.subtree_control'), wanted.map((name) => `+${name}`).join(' '));
    return null;
  } catch (error) {
    return errorMessage(error);
  }
}

const words = (text: string) => text.trim().split(/\s+/);

/** The kernel refuses to remove groups that have processes. */
async function removeLeft(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const [, pid] = NAME.exec(name) ?? [];
    if (pid === undefined || (await exists(`/proc/${pid}`))) continue;
    await rmdir(join(folder, name)).catch(() => {});
  }
}

const exists = (path: string) =>
  access(path).then(
    () => true,
    () => false,
  );

let created = 0;

/** Rejects with the error of the file system. */
export async function createGroup(folder: string, limits: GroupLimits): Promise<ControlGroup> {
  const own = join(folder, `skillgate-${process.pid}-${created++}`);
  await mkdir(own);
  const remove = async () => {
    for (let attempt = 0; attempt < REMOVALS.attempts && (await exists(own)); attempt++) {
      if (attempt > 0) await delay(REMOVALS.pauseMs);
      await rmdir(own).catch(() => {});
    }
  };
  const set = (file: string, value: string | number) => writeFile(join(own, file), String(value));
  const read = (file: string) => readFile(join(own, file), 'latin1');
  try {
    await set('memory.max', limits.memoryBytes);
    // A machine without swap does not have the file.
    await set('memory.swap.max', 0).catch(() => {});
    // All of the run, not the one process that the kernel picks.
    await set('memory.oom.group', 1);
    await set('pids.max', limits.processes);
    await set('cpu.weight', CPU_WEIGHT);
  } catch (error) {
    await remove();
    throw error;
  }
  return {
    add: (pid) => set('cgroup.procs', pid),
    async usage() {
      const [memory, cpu] = await Promise.all([read('memory.stat'), read('cpu.stat')]);
      const used = (name: string) => readFigure(memory, name) ?? 0;
      // Linux before 5.18 has no sum of what the kernel uses.
      const kernel = readFigure(memory, 'kernel') ?? used('kernel_stack') + used('pagetables') + used('slab');
      return {
        cpuMs: (readFigure(cpu, 'usage_usec') ?? 0) / 1_000,
        memoryBytes: used('anon') + used('shmem') + used('sock') + kernel - used('slab_reclaimable'),
      };
    },
    ranOutOfMemory: async () => (readFigure(await read('memory.events'), 'oom_kill') ?? 0) > 0,
    remove,
  };
}

/** A figure of a file with a name and a number in each line. */
function readFigure(text: string, name: string): number | null {
  const found = new RegExp(`^${name} (\\d+)$`, 'm').exec(text)?.[1];
  return found === undefined ? null : Number(found);
}
