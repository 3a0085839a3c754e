import { mkdirSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Watcher, watchRoots } from '../../../src/catalog/watch.ts';
import { add, plant, skillText } from './tree.ts';

const watchers: Watcher[] = [];

afterEach(async () => {
  for (const watcher of watchers.splice(0)) watcher.close();
});

/** Watches, and gives a promise of the next call. */
async function watched(root: string): Promise<() => Promise<void>> {
  let called = () => {};
  watchers.push(await watchRoots([root], { onChange: () => called() }));
  return () =>
    new Promise((resolve) => {
      called = resolve;
    });
}

/** Watches, and gives how to wait until all of these paths, or that no path says it, have been told. */
async function toldBy(root: string) {
  const told = new Set<string | null>();
  const onChange = (paths: readonly string[] | null) => {
    for (const path of paths ?? [null]) told.add(path);
  };
  watchers.push(await watchRoots([root], { onChange }));
  return async (...paths: (string | null)[]) => {
    const wanted = paths.map((path) => path && join(root, path));
    await expect.poll(() => [...told], { timeout: 10_000 }).toEqual(expect.arrayContaining(wanted));
    told.clear();
  };
}

describe('watchRoots', () => {
  it('tells of files that are added and changed, at any depth', async () => {
    const root = plant({ 'tea/SKILL.md': skillText('tea') });
    const next = await watched(root);
    const added = next();
    add(root, { 'pot/references/x.md': 'x' });
    await added;
    const changed = next();
    add(root, { 'tea/SKILL.md': skillText('tea', 'Pour slowly.\n') });
    await changed;
  });

  it('says nothing of version control or packages', async () => {
    const root = plant({ '.git/index': 'x', 'node_modules/a/b.js': 'x', 'tea/SKILL.md': skillText('tea') });
    let calls = 0;
    watchers.push(await watchRoots([root], { onChange: () => calls++ }));
    add(root, { '.git/index': 'y', 'node_modules/a/b.js': 'y' });
    const next = await watched(root);
    const changed = next();
    add(root, { 'tea/SKILL.md': skillText('tea', 'Pour slowly.\n') });
    await changed;
    // The first watcher had its chance with both: had it told of the ignored files, it would have told twice.
    expect(calls).toBeLessThanOrEqual(1);
  });

  it('watches a root that lies in a directory it would ignore', async () => {
    const root = join(plant({ 'node_modules/pack/tea/SKILL.md': skillText('tea') }), 'node_modules');
    const next = await watched(root);
    const changed = next();
    add(root, { 'pack/tea/SKILL.md': skillText('tea', 'Pour slowly.\n') });
    await changed;
  });

  it('is ready at once, and ends, where there is nothing to watch', async () => {
    const nothing = await watchRoots([], { onChange() {} });
    nothing.close();
  });

  it('tells nothing once it is closed', async () => {
    const root = plant({ 'tea/SKILL.md': skillText('tea') });
    let calls = 0;
    const closed = await watchRoots([root], { onChange: () => calls++ });
    closed.close();
    const next = await watched(root);
    const changed = next();
    add(root, { 'tea/SKILL.md': skillText('tea', 'Pour slowly.\n') });
    await changed;
    expect(calls).toBe(0);
  });

  describe('says where', () => {
    it('files and folders were added, changed, moved or removed', async () => {
      const root = plant({ 'tea/SKILL.md': skillText('tea'), 'hot/coffee/SKILL.md': skillText('coffee') });
      const told = await toldBy(root);
      add(root, { 'tea/notes.md': 'x' });
      await told('tea/notes.md');
      add(root, { 'hot/coffee/SKILL.md': skillText('coffee', 'Grind.\n') });
      await told('hot/coffee/SKILL.md');
      renameSync(join(root, 'hot'), join(root, 'warm'));
      await told('hot', 'warm');
      rmSync(join(root, 'tea'), { recursive: true });
      await told('tea');
    });

    it('something changed in a folder that was made or moved while watching', async () => {
      const root = plant({ 'hot/coffee/SKILL.md': skillText('coffee') });
      const told = await toldBy(root);
      renameSync(join(root, 'hot'), join(root, 'warm'));
      mkdirSync(join(root, 'cold'));
      await told('warm', 'cold');
      add(root, { 'warm/coffee/a.md': 'x', 'cold/lemonade/SKILL.md': skillText('lemonade') });
      await told('warm/coffee/a.md', 'cold/lemonade');
    });

    it('not, where a link makes one change show in two places', async () => {
      const other = plant({ 'tea/SKILL.md': skillText('tea') });
      const root = plant({ 'coffee/SKILL.md': skillText('coffee'), tea: { to: join(other, 'tea') } });
      const told = await toldBy(root);
      add(other, { 'tea/notes.md': 'x' });
      await told(null);
    });
  });

  describe('watches a root', () => {
    beforeEach(() => {
      vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    });
    afterEach(() => {
      vi.useRealTimers();
    });

    /** The next look at the roots finds another one; what is saved in that is told of. */
    async function isWatched(root: string, told: Awaited<ReturnType<typeof toldBy>>) {
      vi.advanceTimersToNextTimer();
      await told(null);
      add(root, { 'tea/notes.md': 'x' });
      await told('tea/notes.md');
    }

    it('that is made later', async () => {
      const root = join(plant({}), 'skills');
      const told = await toldBy(root);
      add(root, { 'tea/SKILL.md': skillText('tea') });
      await isWatched(root, told);
    });

    it('that is removed and made anew', async () => {
      const root = join(plant({ 'skills/tea/SKILL.md': skillText('tea') }), 'skills');
      const told = await toldBy(root);
      rmSync(root, { recursive: true });
      await told('tea');
      add(root, { 'tea/SKILL.md': skillText('tea') });
      await isWatched(root, told);
    });

    it('that a link leads to, also when it leads elsewhere', async () => {
      const parent = plant({ 'v1/tea/SKILL.md': skillText('tea'), 'v2/tea/SKILL.md': skillText('tea') });
      const root = join(parent, 'current');
      symlinkSync('v1', root);
      const told = await toldBy(root);
      symlinkSync('v2', join(parent, 'next'));
      renameSync(join(parent, 'next'), root);
      await isWatched(root, told);
    });

    it('without a notice while it stays the same directory', async () => {
      const root = plant({ 'tea/SKILL.md': skillText('tea') });
      const told = await toldBy(root);
      add(root, { 'coffee/SKILL.md': skillText('coffee') });
      await told('coffee');
      vi.advanceTimersToNextTimer();
      // Were it watched anew, no path would be told now, but that anything may have changed.
      add(root, { 'tea/notes.md': 'x' });
      await told('tea/notes.md');
    });
  });

  it('ends with a reason, and lets go of all, where there are more directories than may be watched', async () => {
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
