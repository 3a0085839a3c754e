import { describe, expect, it } from 'vitest';
import type { Directory } from '../../../index/directory/directory.ts';
import { readManifest } from '../../../index/manifest.ts';
import { Snapshots } from '../../../src/catalog/snapshots.ts';
import { damage } from '../gateway/sections.ts';
import { skill, testLibrary } from '../gateway/test-library.ts';
import { add } from '../sources/scan/tree.ts';

/** Snapshots of an index of one skill; a library adds others. */
async function setUp() {
  const made = testLibrary({ 'pdf/SKILL.md': skill('pdf', 'Fill in forms') });
  await made.library.update();
  const log: string[] = [];
  // Over the library's counting directory; its own snapshot is closed.
  await made.library.close();
  const { directory, embedder, done, root } = made;
  const snapshots = new Snapshots({ directory, embedder, vectors: 'auto', log: (text) => log.push(text) });
  const generations: number[] = [];
  snapshots.onChange((generation) => generations.push(generation));
  return {
    snapshots,
    directory,
    done,
    generations,
    log,
    async commit(name: string) {
      add(root, { [`${name}/SKILL.md`]: skill(name, `About ${name}`) });
      const writer = testLibrary(root, { directory });
      await writer.library.update();
      await writer.library.close();
    },
  };
}

const segmentOf = (directory: Directory) => readManifest(directory)!.segments.at(-1)!.name;

describe('adopt', () => {
  it('adopts a generation once, and closes all snapshots when closed', async () => {
    const { snapshots, commit, generations, done } = await setUp();
    snapshots.open();
    await commit('sql');
    snapshots.adopt();
    snapshots.adopt();
    expect(generations).toEqual([snapshots.current!.manifest.generation]);
    expect(snapshots.current!.documents).toBe(2);
    expect(done.openFiles).toBeGreaterThan(1);
    snapshots.close();
    expect(done.openFiles).toBe(0);
  });

  it('does not open a damaged generation, keeps the present snapshot, and discards the damaged one', async () => {
    const { snapshots, commit, generations, done, directory } = await setUp();
    snapshots.open();
    const present = snapshots.current;
    await commit('sql');
    damage(directory, segmentOf(directory), 'vectors.documents');
    const { openFiles } = done;
    for (let attempt = 0; attempt < 3; attempt += 1)
      expect(() => snapshots.adopt()).toThrow(expect.objectContaining({ code: 'INDEX_DAMAGED' }));
    expect(done.openFiles).toBe(openFiles);
    expect(snapshots.current).toBe(present);
    expect(generations).toEqual([]);
    await snapshots.discardDamaged();
    expect(directory.list().some((name) => name.endsWith('.segment'))).toBe(false);
    snapshots.close();
    expect(done.openFiles).toBe(0);
  });

  it('opens nothing after it is closed', async () => {
    const { snapshots, commit, done } = await setUp();
    await commit('sql');
    snapshots.close();
    snapshots.adopt();
    snapshots.open();
    expect(snapshots.current).toBeNull();
    expect(done.openFiles).toBe(0);
  });
});
