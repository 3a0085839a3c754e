import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LearnedStore } from '../../../src/learning/public.ts';
import type { LearnedRecord } from '../../../src/learning/records.ts';
import type { StoreOptions } from '../../../src/learning/store.ts';
import { programOf } from '../../peers/program-of.ts';

const DAY = 86_400;
const NOW = 1_790_000_000;
const WRITER = join(import.meta.dirname, 'writer-program.ts');

let folder: string;
let seconds: number;
let logged: string[];
beforeEach(() => {
  folder = join(mkdtempSync(join(tmpdir(), 'skillgate-learned-')), 'learned');
  seconds = NOW;
  logged = [];
});
afterEach(() => rmSync(join(folder, '..'), { recursive: true, force: true }));

const open = (options: Partial<StoreOptions> = {}) =>
  new LearnedStore({
    folder,
    halfLife: 90 * DAY,
    now: () => seconds * 1_000,
    log: (message) => logged.push(message),
    ...options,
  });
const use = (skill: string, request: string, who = 'local'): LearnedRecord => ({
  kind: 'use',
  skill,
  name: skill,
  digest: `digest of ${skill}`,
  request,
  who,
  at: seconds,
});
/** `skill: request (used)` of each use. */
const known = (store: LearnedStore) =>
  Array.from(store.history.known(), ({ skill, request, used }) => `${skill}: ${request} (${used})`).sort();
const file = () => join(folder, 'uses.log');

describe('the data file', () => {
  it('gives another process what was written, before and after compaction', async () => {
    const store = open();
    store.add([use('pdf', 'fill a form'), use('pdf', 'Fill a form'), use('git', 'undo a commit')]);
    await store.flush();
    const expected = ['git: undo a commit (1)', 'pdf: fill a form (2)'];
    expect(known(open())).toEqual(expected);
    await store.addNow([]);
    expect(known(open())).toEqual(expected);
    expect(statSync(folder).mode & 0o077).toBe(0);
  });

  it('shows what another process adds, also after that one compacted', async () => {
    const [a, b] = [open(), open()];
    a.add([use('pdf', 'one')]);
    await a.flush();
    seconds += 2;
    b.refresh();
    expect(known(b)).toEqual(['pdf: one (1)']);
    await b.addNow([use('pdf', 'two')]);
    seconds += 2;
    a.refresh();
    expect(known(a)).toEqual(['pdf: one (1)', 'pdf: two (1)']);
    a.add([use('git', 'three')]);
    await a.flush();
    expect(known(open())).toHaveLength(3);
  });

  it('keeps no more than its bound, however much is written', async () => {
    const store = open({ mostUses: 50 });
    for (let round = 0; round < 8; round += 1) {
      store.add(Array.from({ length: 100 }, (_, at) => use(`skill-${at}`, `${round} ${'word '.repeat(60)}`)));
      await store.flush();
    }
    expect(store.history.size).toBeLessThanOrEqual(50);
    // Sums of 50 uses of about 500 bytes take 25 kB; compaction begins at 64 kB, after a write of 50 kB.
    expect(statSync(file()).size).toBeLessThan(130_000);
  });

  it('holds no secret, and no name of a principal but "local"', async () => {
    const store = open();
    await store.addNow([use('pdf', 'fill a form', 'mary@example.org')]);
    const text = readFileSync(file(), 'utf8');
    expect(text).not.toContain('mary');
    expect(text).toContain('fill a form');
  });

  it('loses what is forgotten from the disk, too', async () => {
    const store = open();
    await store.addNow([use('pdf', 'a private matter'), use('pdf', 'a public one')]);
    await store.addNow([{ kind: 'forget', skill: 'pdf', request: 'A private matter' }]);
    expect(readFileSync(file(), 'utf8')).not.toContain('private');
    expect(known(open())).toEqual(['pdf: a public one (1)']);
  });

  it('forgets all that one principal taught, by name', async () => {
    const store = open();
    await store.addNow([use('pdf', 'one', 'mary'), use('pdf', 'two', 'paul')]);
    await store.addNow([{ kind: 'forget', who: 'mary' }]);
    expect(known(open())).toEqual(['pdf: two (1)']);
  });

  it('logs once where it cannot be written, and goes on', async () => {
    writeFileSync(folder, 'a file where the folder should be');
    const store = open();
    for (let time = 0; time < 2; time += 1) {
      store.add([use('pdf', 'one')]);
      await store.flush();
    }
    expect(logged).toHaveLength(1);
    expect(logged[0]).toMatch(/cannot be (read from|written to) .*uses\.log/);
    await expect(store.addNow([use('pdf', 'one')])).rejects.toMatchObject({ code: 'LEARNED_UNWRITABLE' });
  });
});

describe('damage', () => {
  const written = async () => {
    const store = open();
    store.add([
      use('pdf', 'one'),
      use('pdf', 'two'),
      use('git', 'three', 'mary'),
      use('git', 'four', 'paul'),
    ]);
    await store.flush();
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
      store.add([use('new', 'five')]);
      await store.flush();
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
  const requests = () => new Set(Array.from(open().history.known(), ({ request }) => request));

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
      await expect.poll(() => done.length, { timeout: 50_000, interval: 1 }).toBeGreaterThanOrEqual(least);
      await kill(child, ended);
      acknowledged.push(...done.map((number) => `round${round} ${number}`));
      const there = requests();
      expect(acknowledged.filter((request) => !there.has(request))).toEqual([]);
    }
  });
});

describe('a skill', () => {
  const follow = (store: LearnedStore, skills: readonly { id: string; name: string; digest: string }[]) =>
    store.follow((text) => skills.filter(({ id, name }) => id === text || name === text));
  const skillsIn = (store: LearnedStore) => [...store.history.skills.keys()];

  it('keeps its history when it is edited, then renamed, then edited again', async () => {
    const store = open();
    store.add([use('tools/pdf', 'fill a form')]);
    await store.flush();
    follow(store, [{ id: 'tools/pdf', name: 'pdf', digest: 'second' }]);
    await store.flush();
    follow(store, [{ id: 'office/pdf', name: 'pdf', digest: 'second' }]);
    await store.flush();
    follow(store, [{ id: 'office/pdf', name: 'pdf', digest: 'third' }]);
    await store.flush();
    expect(known(open())).toEqual(['office/pdf: fill a form (1)']);
    expect(open().history.skills.get('office/pdf')).toMatchObject({ name: 'pdf', digest: 'third' });
  });

  it('that is gone is forgotten after a day, and not if it comes back', async () => {
    const store = open();
    store.add([use('pdf', 'one'), use('git', 'two')]);
    await store.flush();
    follow(store, []);
    await store.flush();
    seconds += DAY - 10;
    follow(store, []);
    await store.flush();
    expect(skillsIn(open())).toEqual(['pdf', 'git']);
    follow(store, [{ id: 'git', name: 'git', digest: 'digest of git' }]);
    await store.flush();
    seconds += 20;
    follow(store, [{ id: 'git', name: 'git', digest: 'digest of git' }]);
    await store.flush();
    expect(skillsIn(open())).toEqual(['git']);
    expect(readFileSync(file(), 'utf8')).not.toContain('one');
  });

  it('of another name with the same digest is no rename', async () => {
    const store = open();
    store.add([use('pdf', 'one')]);
    await store.flush();
    follow(store, [{ id: 'word', name: 'word', digest: 'digest of pdf' }]);
    await store.flush();
    expect(skillsIn(store)).toEqual(['pdf']);
    expect(store.history.skills.get('pdf')?.goneSince).toBe(NOW);
  });
});
