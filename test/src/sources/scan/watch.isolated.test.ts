import { mkdirSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Watcher, watchRoots } from '../../../../src/sources/scan/watch.ts';
import { add, plant, skillText } from './tree.ts';

const watchers: Watcher[] = [];

afterEach(async () => {
  for (const watcher of watchers.splice(0)) watcher.close();
});

/** Watches; the result waits until all given paths were reported. Null stands for unknown paths. */
async function reportsOf(root: string) {
  const seen = new Set<string | null>();
  const onChange = (paths: readonly string[] | null) => {
    for (const path of paths ?? [null]) seen.add(path);
  };
  watchers.push(await watchRoots([root], { onChange }));
  return async (...paths: (string | null)[]) => {
    const wanted = paths.map((path) => path && join(root, path));
    await expect.poll(() => [...seen]).toEqual(expect.arrayContaining(wanted));
    seen.clear();
  };
}

describe('watchRoots', () => {
  it('reports at once what it has seen, where that is asked for', async () => {
    const root = plant({ 'tea/SKILL.md': skillText('tea') });
    const seen: (string | null)[] = [];
    const watcher = await watchRoots([root], { onChange: (paths) => seen.push(...(paths ?? [null])) });
    watchers.push(watcher);
    add(root, { 'pot/deep/SKILL.md': skillText('deep') });
    for (let turn = 0; turn < 2; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    await watcher.flush();
    expect(seen).toContain(join(root, 'pot'));
    rmSync(root, { recursive: true });
    add(root, { 'cup/SKILL.md': skillText('cup') });
    await watcher.flush();
    expect(seen).toContain(null);
  });

  it('ignores version control and packages', async () => {
    const root = plant({ '.git/index': 'x', 'node_modules/a/b.js': 'x', 'tea/SKILL.md': skillText('tea') });
    const seen: string[] = [];
    watchers.push(await watchRoots([root], { onChange: (paths) => seen.push(...(paths ?? ['anything'])) }));
    add(root, { '.git/index': 'y', 'node_modules/a/b.js': 'y' });
    const reported = await reportsOf(root);
    add(root, { 'tea/SKILL.md': skillText('tea', 'Pour slowly.\n') });
    await reported('tea/SKILL.md');
    expect(seen.filter((path) => !path.includes('tea'))).toEqual([]);
  });

  it('watches a root inside an ignored directory', async () => {
    const root = join(plant({ 'node_modules/pack/tea/SKILL.md': skillText('tea') }), 'node_modules');
    const reported = await reportsOf(root);
    add(root, { 'pack/tea/SKILL.md': skillText('tea', 'Pour slowly.\n') });
    await reported('pack/tea/SKILL.md');
  });

  it('is ready at once and closes without roots', async () => {
    const nothing = await watchRoots([], { onChange() {} });
    nothing.close();
  });

  it('reports nothing after it is closed', async () => {
    const root = plant({ 'tea/SKILL.md': skillText('tea') });
    let calls = 0;
    const closed = await watchRoots([root], { onChange: () => calls++ });
    closed.close();
    const reported = await reportsOf(root);
    add(root, { 'tea/SKILL.md': skillText('tea', 'Pour slowly.\n') });
    await reported('tea/SKILL.md');
    expect(calls).toBe(0);
  });

  it('stops while it is being set up, before most directories are watched', async () => {
    const skills = Array.from({ length: 400 }, (_, at) => [`s${at}/SKILL.md`, skillText(`s${at}`)]);
    const root = plant(Object.fromEntries(skills));
    const ending = new AbortController();
    let calls = 0;
    const starting = watchRoots([root], { onChange: () => calls++, signal: ending.signal });
    ending.abort();
    await starting;
    const reported = await reportsOf(root);
    add(root, { 's1/SKILL.md': skillText('s1', 'Pour slowly.\n') });
    await reported('s1/SKILL.md');
    expect(calls).toBe(0);
  });

  describe('reports', () => {
    it('files and folders that were added, changed, moved or removed', async () => {
      const root = plant({ 'tea/SKILL.md': skillText('tea'), 'hot/coffee/SKILL.md': skillText('coffee') });
      const reported = await reportsOf(root);
      add(root, { 'tea/notes.md': 'x' });
      await reported('tea/notes.md');
      add(root, { 'hot/coffee/SKILL.md': skillText('coffee', 'Grind.\n') });
      await reported('hot/coffee/SKILL.md');
      renameSync(join(root, 'hot'), join(root, 'warm'));
      await reported('hot', 'warm');
      rmSync(join(root, 'tea'), { recursive: true });
      await reported('tea');
    });

    it('changes in a folder that was created or moved while watching', async () => {
      const root = plant({ 'hot/coffee/SKILL.md': skillText('coffee') });
      const reported = await reportsOf(root);
      renameSync(join(root, 'hot'), join(root, 'warm'));
      mkdirSync(join(root, 'cold'));
      await reported('warm', 'cold');
      add(root, { 'warm/coffee/a.md': 'x', 'cold/lemonade/SKILL.md': skillText('lemonade') });
      await reported('warm/coffee/a.md', 'cold/lemonade');
    });

    it('unknown paths if a link makes one change visible at two paths', async () => {
      const other = plant({ 'tea/SKILL.md': skillText('tea') });
      const root = plant({ 'coffee/SKILL.md': skillText('coffee'), tea: { to: join(other, 'tea') } });
      const reported = await reportsOf(root);
      add(other, { 'tea/notes.md': 'x' });
      await reported(null);
    });
  });

  describe('watches a root', () => {
    beforeEach(() => {
      vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    });
    afterEach(() => {
      vi.useRealTimers();
    });

    /** The next check of the roots finds a new one, and changes in it are reported. */
    async function isWatched(root: string, reported: Awaited<ReturnType<typeof reportsOf>>) {
      vi.advanceTimersToNextTimer();
      await reported(null);
      add(root, { 'tea/notes.md': 'x' });
      await reported('tea/notes.md');
    }

    it('that is created later', async () => {
      const root = join(plant({}), 'skills');
      const reported = await reportsOf(root);
      add(root, { 'tea/SKILL.md': skillText('tea') });
      await isWatched(root, reported);
    });

    it('that is removed and created again', async () => {
      const root = join(plant({ 'skills/tea/SKILL.md': skillText('tea') }), 'skills');
      const reported = await reportsOf(root);
      rmSync(root, { recursive: true });
      await reported('tea');
      add(root, { 'tea/SKILL.md': skillText('tea') });
      await isWatched(root, reported);
    });

    it('that is a link, also after the link changed', async () => {
      const parent = plant({ 'v1/tea/SKILL.md': skillText('tea'), 'v2/tea/SKILL.md': skillText('tea') });
      const root = join(parent, 'current');
      symlinkSync('v1', root);
      const reported = await reportsOf(root);
      symlinkSync('v2', join(parent, 'next'));
      renameSync(join(parent, 'next'), root);
      await isWatched(root, reported);
    });

    it('without a report while it is the same directory', async () => {
      const root = plant({ 'tea/SKILL.md': skillText('tea') });
      const reported = await reportsOf(root);
      add(root, { 'coffee/SKILL.md': skillText('coffee') });
      await reported('coffee');
      vi.advanceTimersToNextTimer();
      // If it were watched again, unknown paths would be reported instead of this one.
      add(root, { 'tea/notes.md': 'x' });
      await reported('tea/notes.md');
    });
  });

  it('ends with a reason and releases all watches if there are too many directories', async () => {
    const root = plant({ 'a/SKILL.md': skillText('a'), 'b/SKILL.md': skillText('b') });
    const reasons: string[] = [];
    const onEnd = (error: Error) => reasons.push(error.message);
    watchers.push(await watchRoots([root], { onChange() {}, onEnd, limit: 2 }));
    expect(reasons).toEqual([
      expect.stringMatching(/more than the 2 directories.*Raise fs\.inotify\.max_user_watches/),
    ]);
    watchers.push(await watchRoots([root], { onChange() {}, onEnd, limit: 3 }));
    expect(reasons).toHaveLength(1);
  });
});
