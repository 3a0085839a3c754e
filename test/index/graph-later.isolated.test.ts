/** When the graph is loaded: searches do not wait for it, and a single search does not load it. */

import { beforeAll, describe, expect, it, vi } from 'vitest';
import { Reader } from '../../index/reader/reader.ts';
import { indexDirectory } from '../../src/catalog/index-directory.ts';
import { runIndexing } from '../../src/catalog/indexing/run.ts';
import { inProcessWorker } from '../../src/catalog/indexing/worker-pool.ts';
import { localSource } from '../../src/sources/local.ts';
import { readCatalog } from '../../src/sources/scan/catalog.ts';
import { needsPackage } from '../needs.ts';
import { plant } from '../src/sources/scan/tree.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { toyEmbedder } from './toy.ts';

// As if the catalog were large enough for a graph.
vi.mock('../../index/vectors/choose.ts', async (original) => {
  const choose = await original<typeof import('../../index/vectors/choose.ts')>();
  const graph: typeof choose.chooseVectorIndex = (exact, _, file, path) =>
    choose.chooseVectorIndex(exact, 'hnsw', file, path);
  return { ...choose, chooseVectorIndex: vi.fn(graph) };
});
const { chooseVectorIndex } = await import('../../index/vectors/choose.ts');

const folder = temporaryFolder();
const embedder = toyEmbedder();
const directory = indexDirectory(folder);
beforeAll(async () => {
  const skills = Array.from({ length: 60 }, (_, at) => [
    `s${at}/SKILL.md`,
    `---\nname: s${at}\ndescription: About clay${at} and glaze${at % 7}.\n---\n\nTurn the wheel ${at} times.\n`,
  ]);
  const catalog = await readCatalog([
    localSource({ name: 'local', root: plant(Object.fromEntries(skills)) }),
  ]);
  const workers = inProcessWorker(directory, embedder);
  await runIndexing(catalog, { embedder, directory, workers, vectors: 'hnsw', now: () => 0 });
});

const open = (vectors: 'auto' | 'hnsw') => Reader.open(directory, { embedder, vectors })!;

describe('vectorsForSearch', needsPackage('hnswlib-node'), () => {
  it('scans until the graph is loaded, and starts loading at the second search', async () => {
    vi.mocked(chooseVectorIndex).mockClear();
    const reader = open('auto');
    expect((await reader.vectorsForSearch()).kind).toBe('exact');
    expect(chooseVectorIndex).not.toHaveBeenCalled();
    expect((await reader.vectorsForSearch()).kind).toBe('exact');
    await expect.poll(async () => (await reader.vectorsForSearch()).kind).toBe('hnsw');
    expect(chooseVectorIndex).toHaveBeenCalledTimes(1);
    reader.close();
  });

  it('does not load the graph earlier after readVectors', async () => {
    vi.mocked(chooseVectorIndex).mockClear();
    const reader = open('auto');
    reader.readVectors();
    expect(reader.documentVector(0)).toHaveLength(embedder.dimensions);
    expect((await reader.vectorsForSearch()).kind).toBe('exact');
    expect(chooseVectorIndex).not.toHaveBeenCalled();
    expect((await reader.openVectors()).kind).toBe('hnsw');
    reader.close();
  });

  it('waits for a requested graph', async () => {
    const reader = open('hnsw');
    expect((await reader.vectorsForSearch()).kind).toBe('hnsw');
    reader.close();
  });

  it('finds equally near documents with and without the graph', async () => {
    const reader = open('auto');
    const query = await embedder.embedQuery('clay31 glaze3');
    const scanned = (await reader.vectorsForSearch()).nearest(query, 5);
    const walked = (await reader.openVectors()).nearest(query, 5);
    expect(walked.scores).toEqual(scanned.scores);
    reader.close();
  });

  it('loads the graph once for concurrent callers', async () => {
    vi.mocked(chooseVectorIndex).mockClear();
    const reader = open('auto');
    const opened = await Promise.all([reader.openVectors(), reader.openVectors(), reader.vectorsForSearch()]);
    expect(opened.map(({ kind }) => kind)).toEqual(['hnsw', 'hnsw', 'exact']);
    expect(chooseVectorIndex).toHaveBeenCalledTimes(1);
    reader.close();
  });

  it('loads the graph once, even if new generations are opened meanwhile', async () => {
    vi.mocked(chooseVectorIndex).mockClear();
    const first = open('auto');
    await first.vectorsForSearch();
    await first.vectorsForSearch();
    const next = Reader.open(directory, { embedder }, first)!;
    expect((await next.vectorsForSearch()).kind).toBe('exact');
    const last = Reader.open(directory, { embedder }, next)!;
    expect((await last.openVectors()).kind).toBe('hnsw');
    expect(chooseVectorIndex).toHaveBeenCalledTimes(1);
    for (const reader of [first, next, last]) reader.close();
  });
});
