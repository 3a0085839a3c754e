import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Load } from '../../../extensions/learning/history.ts';
import { Store, type StoreOptions } from '../../../extensions/learning/store.ts';
import { programOf } from '../../peers/program-of.ts';
import { temporaryFolder } from '../../temporary-folder.ts';

const DAY = 86_400;
const NOW = 1_790_000_000;
const WRITER = join(import.meta.dirname, './writer-program.ts');

let folder: string;
let seconds: number;
let logged: string[];
beforeEach(() => {
  folder = join(temporaryFolder(), 'learned');
  seconds = NOW;
  logged = [];
});

const open = (options: Partial<StoreOptions> = {}) =>
  new Store({
    folder,
    now: () => seconds * 1_000,
    log: (message) => logged.push(message),
    ...options,
  });
const load = (skill: string, request: string, who = 'local'): Load => ({ skill, request, who, at: seconds });
const teach = async (store: Store, ...loads: Load[]) => {
  for (const each of loads) store.add(each);
  await store.flush();
};
const compact = (store: Store) => store.forget('nobody');
/** `skill: request (used)` of each use. */
const known = (store: Store) =>
  Array.from(store.history.uses(), ({ skill, request, used }) => `${skill}: ${request} (${used})`).sort();
const file = () => join(folder, 'uses.log');

describe('the data file', () => {
  it('gives another process what was written, before and after compaction', async () => {
    const store = open();
    await teach(store, load('pdf', 'fill a form'), load('pdf', 'Fill a form'), load('git', 'undo a commit'));
    const expected = ['git: undo a commit (1)', 'pdf: fill a form (2)'];
    expect(known(open())).toEqual(expected);
    await compact(store);
    expect(known(open())).toEqual(expected);
    expect(statSync(folder).mode & 0o077).toBe(0);
  });

  it('shows what another process adds, also after that one compacted', async () => {
    const [a, b] = [open(), open()];
    await teach(a, load('pdf', 'one'));
    seconds += 2;
    b.refresh();
    expect(known(b)).toEqual(['pdf: one (1)']);
    await teach(b, load('pdf', 'two'));
    await compact(b);
    seconds += 2;
    a.refresh();
    expect(known(a)).toEqual(['pdf: one (1)', 'pdf: two (1)']);
    await teach(a, load('git', 'three'));
    expect(known(open())).toHaveLength(3);
  });

  it('keeps no more than its bound, however much is written', async () => {
    const store = open({ mostUses: 50 });
    for (let round = 0; round < 8; round += 1) {
      const request = `${round} ${'word '.repeat(60)}`;
      await teach(store, ...Array.from({ length: 100 }, (_, at) => load(`skill-${at}`, request)));
    }
    expect(store.history.size).toBeLessThanOrEqual(50);
    // In memory, too: what was pushed out leaves its row with the next compaction.
    expect(store.history.requests.length).toBeLessThan(400);
    // Sums of 50 uses of about 500 bytes take 25 kB; compaction begins at 64 kB, after a write of 50 kB.
    expect(statSync(file()).size).toBeLessThan(130_000);
  });

  it('holds no secret, and no name of a principal but "local"', async () => {
    const store = open();
    await teach(store, load('pdf', 'fill a form', 'mary@example.org'));
    const text = readFileSync(file(), 'utf8');
    expect(text).not.toContain('mary');
    expect(text).toContain('fill a form');
  });

  it('forgets all that one principal taught, by name, or everything; on disk, too', async () => {
    const store = open();
    const other = open();
    await teach(store, load('pdf', 'one', 'mary'), load('pdf', 'two', 'paul'), load('git', 'three', 'mary'));
    expect(await store.forget('mary')).toBe(2);
    expect(known(open())).toEqual(['pdf: two (1)']);
    expect(readFileSync(file(), 'utf8')).not.toMatch(/one|three/);
    expect(await store.forget(null)).toBe(1);
    expect(known(open())).toEqual([]);
    expect(readFileSync(file(), 'utf8')).not.toContain('two');
    // Another process forgets it, too.
    seconds += 2;
    other.refresh();
    expect(other.history.size).toBe(0);
  });

  it('forgets what was not loaded for a year', async () => {
    const store = open();
    await teach(store, load('pdf', 'old'), load('pdf', 'still wanted'));
    seconds += 364 * DAY;
    await teach(store, load('pdf', 'still wanted'));
    expect(known(open())).toHaveLength(2);
    seconds += 2 * DAY;
    const later = open();
    expect(later.history.size).toBe(1);
    await teach(later, load('git', 'new'));
    expect(readFileSync(file(), 'utf8')).not.toContain('old');
  });

  it('logs once where it cannot be written, and goes on', async () => {
    writeFileSync(folder, 'a file where the folder should be');
    const store = open();
    for (let time = 0; time < 2; time += 1) {
      await teach(store, load('pdf', 'one'));
    }
    expect(logged).toHaveLength(1);
    expect(logged[0]).toMatch(/cannot be (read from|written to) .*uses\.log/);
    await expect(store.forget(null)).rejects.toMatchObject({ code: 'LEARNED_UNWRITABLE' });
  });
});

describe('damage', () => {
  const written = async () => {
    const store = open();
    await teach(
      store,
      load('pdf', 'one'),
      load('pdf', 'two'),
      load('git', 'three', 'mary'),
      load('git', 'four', 'paul'),
    );
    return { bytes: readFileSync(file()), whole: known(store) };
  };

  it('of a file cut at any byte costs only the records behind it', async () => {
    const { bytes, whole } = await written();
    const head = bytes.indexOf('\n', 1);
    let last = 0;
    for (let length = 0; length <= bytes.length; length += 1) {
      writeFileSync(file(), bytes.subarray(0, length));
      const found = known(open());
      expect(whole).toEqual(expect.arrayContaining(found));
      if (length > head) expect(found.length).toBeGreaterThanOrEqual(last);
      last = found.length;
    }
    expect(last).toBe(4);
  });

  it('of one byte costs at most its record, or with the first line what others taught', async () => {
    const { bytes, whole } = await written();
    const head = bytes.indexOf('\n', 1);
    for (let at = 0; at < bytes.length; at += 1) {
      const damaged = Buffer.from(bytes);
      damaged[at]! ^= 1 << (at % 8);
      writeFileSync(file(), damaged);
      const found = known(open());
      expect(whole).toEqual(expect.arrayContaining(found));
      // A flipped line break joins two lines.
      expect(found.length).toBeGreaterThanOrEqual(2);
      if (at <= head) expect(found).toEqual(expect.arrayContaining(['pdf: one (1)', 'pdf: two (1)']));
    }
  });

  it('is compacted away by the next write, which loses nothing', async () => {
    const { bytes, whole } = await written();
    for (const length of [0, 10, bytes.indexOf('\n', 1) + 1, bytes.length - 20, bytes.length]) {
      writeFileSync(file(), bytes.subarray(0, length));
      appendFileSync(file(), 'half a li');
      const before = known(open());
      const store = open();
      await teach(store, load('new', 'five'));
      expect(known(open())).toEqual([...before, 'new: five (1)'].sort());
      expect(whole).toEqual(expect.arrayContaining(before));
      const text = readFileSync(file(), 'utf8');
      for (const line of text.split('\n').filter((each) => each !== ''))
        expect(line).toMatch(/^[0-9a-f]{8} \{/);
    }
  });
});

describe('several processes', () => {
  const start = (name: string, count: number) => {
    const { command, args } = programOf(WRITER, folder, name, String(count));
    const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    const done: number[] = [];
    createInterface({ input: child.stdout }).on('line', (line) => done.push(Number(line)));
    return { child, done, ended: once(child, 'close') };
  };
  const requests = () => new Set(Array.from(open().history.uses(), ({ request }) => request));

  it('that write at the same time lose nothing', async () => {
    const writers = [start('a', 40), start('b', 40)];
    await Promise.all(writers.map(({ ended }) => ended));
    expect(requests().size).toBe(80);
  });

  it('that are killed while they append or compact lose nothing that was written', async () => {
    const acknowledged: string[] = [];
    const kill = async (child: ChildProcess, ended: Promise<unknown>) => {
      child.kill('SIGKILL');
      await ended;
      // The next writer would wait ten seconds for a dead writer's lock to expire.
      rmSync(join(folder, 'lock'), { recursive: true, force: true });
    };
    for (const [round, least] of [3, 6, 13].entries()) {
      const { child, done, ended } = start(`round${round}`, 10_000);
      await expect.poll(() => done.length, { interval: 1 }).toBeGreaterThanOrEqual(least);
      await kill(child, ended);
      acknowledged.push(...done.map((number) => `round${round} ${number}`));
      const there = requests();
      expect(acknowledged.filter((request) => !there.has(request))).toEqual([]);
    }
  });
});
