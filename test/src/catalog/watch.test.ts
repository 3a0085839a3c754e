import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
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
});
