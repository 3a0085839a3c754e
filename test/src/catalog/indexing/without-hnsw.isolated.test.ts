import { describe, expect, it, vi } from 'vitest';
import { readManifest } from '../../../../index/manifest.ts';
import { requireVectors } from '../../../../src/app/require-vectors.ts';
import { indexDirectory } from '../../../../src/catalog/index-directory.ts';
import { isUpToDate } from '../../../../src/catalog/indexing/baseline.ts';
import { inProcessWorker, type WorkerPool } from '../../../../src/catalog/indexing/worker-pool.ts';
import { localSource } from '../../../../src/sources/local.ts';
import { readCatalog } from '../../../../src/sources/scan/catalog.ts';
import { plant } from '../../sources/scan/tree.ts';
import { skill, workshop } from './workshop.ts';

const library = vi.hoisted(() => ({ asked: 0 }));
vi.mock('hnswlib-node', () => {
  library.asked += 1;
  throw new Error("Cannot find package 'hnswlib-node'");
});

describe('without hnswlib-node', () => {
  it('imports the package once, builds no graph, and is up to date with the catalog', async () => {
    const tree = { 'pdf/SKILL.md': skill('pdf', 'Fill in forms') };
    const { run, root, directory, embedder } = workshop(tree, indexDirectory(plant({})));
    const own = inProcessWorker(directory, embedder);
    const tasks: string[] = [];
    const workers: WorkerPool = {
      ...own,
      perform(task, advance) {
        tasks.push(task.kind);
        return own.perform(task, advance);
      },
    };
    await run({ workers, vectors: 'hnsw' });
    const catalog = await readCatalog([localSource({ name: 's', root })]);
    expect(await isUpToDate(directory, readManifest(directory)!, catalog, 'hnsw')).toBe(true);
    expect(tasks).toEqual(['build']);
    expect(library.asked).toBe(1);
  });

  it('refuses graphs that were asked for, and names the package', async () => {
    await expect(requireVectors({ vectors: 'hnsw' })).rejects.toThrow(/npm install hnswlib-node/);
    await requireVectors({ vectors: 'auto' });
  });
});
