import { describe, expect, it, vi } from 'vitest';
import { diskDirectory, readManifest } from '#index';
import { readCatalog } from '../../../src/catalog/catalog.ts';
import { localSource } from '../../../src/catalog/sources/local.ts';
import { type Crew, ownThread } from '../../../src/indexing/crew.ts';
import { isInLine } from '../../../src/indexing/in-line.ts';
import { plant } from '../catalog/tree.ts';
import { skill, workshop } from './workshop.ts';

const library = vi.hoisted(() => ({ asked: 0 }));
vi.mock('hnswlib-node', () => {
  library.asked += 1;
  throw new Error("Cannot find package 'hnswlib-node'");
});

describe('without hnswlib-node', () => {
  it('asks for the package once, begins no graph, and is in line with the catalog', async () => {
    const tree = { 'pdf/SKILL.md': skill('pdf', 'Fill in forms') };
    const { run, root, directory, embedder } = workshop(tree, diskDirectory(plant({})));
    const own = ownThread(directory, embedder);
    const tasks: string[] = [];
    const crew: Crew = {
      ...own,
      perform(task, advance) {
        tasks.push(task.kind);
        return own.perform(task, advance);
      },
    };
    await run({ crew, vectors: 'hnsw' });
    const catalog = await readCatalog([localSource({ name: 's', root })]);
    expect(await isInLine(directory, readManifest(directory)!, catalog, 'hnsw')).toBe(true);
    expect(tasks).toEqual(['build']);
    expect(library.asked).toBe(1);
  });
});
