import { createHash } from 'node:crypto';
import { readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import type { ExactIndex } from '../../../index/vectors/exact.ts';
import { buildHnsw, HnswIndex, type HnswUnavailable, loadHnsw } from '../../../index/vectors/hnsw.ts';
import { type HnswFile, sealed } from '../../../index/vectors/hnsw-file.ts';
import { exactOf, vectorIndexContract } from '../../contracts/vector-index.ts';
import { mixture } from '../../contracts/vectors.ts';
import { needsPackage } from '../../needs.ts';
import { temporaryFolder } from '../../temporary-folder.ts';

const D = 16;
let folder: string;
beforeAll(() => {
  folder = temporaryFolder();
});
afterEach(() => {
  vi.doUnmock('hnswlib-node');
  vi.resetModules();
});

function available(index: HnswIndex | HnswUnavailable): HnswIndex {
  if (index.kind === 'unavailable') throw new Error(index.reason);
  return index;
}
const built = async (exact: ExactIndex) => available(await buildHnsw(exact));

const needed = needsPackage('hnswlib-node');

describe('a built graph', needed, () => {
  vectorIndexContract(built);
});

describe('a loaded graph', needed, () => {
  vectorIndexContract(async (exact) => {
    const path = join(folder, `contract-${exact.matrix.rows}-${exact.matrix.dimensions}`);
    const file = await (await built(exact)).save(path);
    return available(await loadHnsw(path, file, exact));
  });

  it('gives the same results as before saving', async () => {
    const exact = exactOf(mixture(1000, D), D);
    const before = await built(exact);
    const path = join(folder, 'same');
    const after = available(await loadHnsw(path, await before.save(path), exact));
    for (const row of [1, 500, 999])
      expect(after.nearest(exact.matrix.vector(row), 20)).toEqual(
        before.nearest(exact.matrix.vector(row), 20),
      );
  });

  it('finds rows newer than the graph', async () => {
    const vectors = mixture(1200, D);
    const path = join(folder, 'younger');
    const file = await (await built(exactOf(vectors.subarray(0, 1000 * D), D))).save(path);
    const exact = exactOf(vectors, D);
    const index = available(await loadHnsw(path, file, exact));
    for (const row of [10, 1000, 1199])
      expect(index.nearest(exact.matrix.vector(row), 5).ordinals[0]).toBe(row);
  });
});

describe('HnswIndex', () => {
  const exact = exactOf(mixture(300, D), D);
  const query = exact.matrix.vector(0);
  /** A graph that always proposes these rows. */
  function proposing(neighbors: number[]) {
    const asked: { k: number; ef: number }[] = [];
    let ef = 0;
    const graph = {
      getCurrentCount: () => 200,
      setEf: (value: number) => {
        ef = value;
      },
      searchKnn: (_: number[], k: number) => {
        asked.push({ k, ef });
        return { neighbors, distances: neighbors.map(() => 0) };
      },
      writeIndex: async () => true,
    };
    return { index: new HnswIndex(graph, exact, 200), asked };
  }
  const accepting = (test: (row: number) => boolean) =>
    Uint8Array.from({ length: 300 }, (_, row) => Number(test(row)));

  it('scores the proposed rows itself, together with the rows beyond the graph', () => {
    const { index, asked } = proposing([150, 7]);
    const seen = accepting((row) => row === 7 || row === 150 || row >= 200);
    expect(index.nearest(query, 2)).toEqual(exact.nearest(query, 2, seen));
    expect(index.nearest(query, 2).ordinals[0]).toBe(7);
    expect(asked[0]).toEqual({ k: 2, ef: 100 });
  });

  it('uses a larger ef for more rows, and fetches more with a filter', () => {
    const { index, asked } = proposing([]);
    index.nearest(query, 80);
    index.nearest(
      query,
      40,
      accepting((row) => row % 2 === 0),
    );
    // Half of the rows: 40 / 0.5 × 1.5 = 120. ef is twice the number of fetched rows.
    expect(asked).toEqual([
      { k: 80, ef: 160 },
      { k: 120, ef: 240 },
    ]);
  });

  it('scans if the graph proposes too few rows or the filter accepts less than a third', () => {
    const { index, asked } = proposing([5]);
    expect(index.nearest(query, 3)).toEqual(exact.nearest(query, 3));
    expect(asked).toHaveLength(1);
    const narrow = accepting((row) => row % 4 === 0);
    expect(index.nearest(query, 1, narrow)).toEqual(exact.nearest(query, 1, narrow));
    expect(asked).toHaveLength(1);
  });
});

describe('buildHnsw', needed, () => {
  it('writes the same file for the same rows and seed, and another for another seed', async () => {
    const exact = exactOf(mixture(300, D), D);
    const digests: string[] = [];
    for (const name of ['first', 'second'])
      digests.push((await (await built(exact)).save(join(folder, name))).sha256);
    expect(digests[1]).toBe(digests[0]);
  });

  it('reports progress and lets other work run', async () => {
    const done: number[] = [];
    let turns = 0;
    const count = () => {
      turns += 1;
      timer = setImmediate(count);
    };
    let timer = setImmediate(count);
    await buildHnsw(exactOf(mixture(100, D), D), (rows, total) => {
      done.push(rows / total);
    });
    clearImmediate(timer);
    expect(done).toEqual([0.32, 0.64, 0.96, 1]);
    expect(turns).toBeGreaterThanOrEqual(3);
  });

  it('reports that the file cannot be created', async () => {
    const index = await built(exactOf(mixture(10, D), D));
    await expect(index.save(join(folder, 'no', 'such', 'folder'))).rejects.toMatchObject({
      code: 'INDEX_WRITE',
    });
  });
});

describe('loadHnsw', needed, () => {
  const exact = exactOf(mixture(200, D), D);
  const path = () => join(folder, 'checked');
  let file: HnswFile;
  let bytes: Buffer;
  beforeAll(async () => {
    file = await (await built(exact)).save(path());
    bytes = readFileSync(path());
  });
  const damaged = expect.objectContaining({ code: 'INDEX_DAMAGED' });

  it('rejects a file with any bit flipped, before native code reads it', async () => {
    for (const at of [0, 8, 16, 50, 96, bytes.length - 1]) {
      const flipped = Buffer.from(bytes);
      flipped[at]! ^= 4;
      writeFileSync(path(), flipped);
      await expect(loadHnsw(path(), file, exact)).rejects.toEqual(damaged);
    }
  });

  it('rejects a truncated or missing file', async () => {
    writeFileSync(path(), bytes.subarray(0, bytes.length - 5));
    await expect(loadHnsw(path(), file, exact)).rejects.toEqual(damaged);
    await expect(loadHnsw(join(folder, 'missing'), file, exact)).rejects.toEqual(damaged);
  });

  it('rejects the graph of another matrix', async () => {
    writeFileSync(path(), bytes);
    await expect(loadHnsw(path(), file, exactOf(mixture(200, 8), 8))).rejects.toEqual(damaged);
    await expect(loadHnsw(path(), file, exactOf(mixture(199, D), D))).rejects.toEqual(damaged);
    const sparse = mixture(200, D).fill(0, 0, D);
    await expect(loadHnsw(path(), file, exactOf(sparse, D))).rejects.toEqual(damaged);
  });

  it('rejects a complete file that is no graph', async () => {
    const other = Buffer.alloc(5000, 'no graph ');
    writeFileSync(path(), other);
    const expected = { bytes: other.length, sha256: createHash('sha256').update(other).digest('hex') };
    await expect(loadHnsw(path(), expected, exact)).rejects.toEqual(damaged);
  });
});

describe('sealed', needed, () => {
  it('detects a graph truncated by a full disk, wherever it ends', async () => {
    const path = join(folder, 'cut');
    const { bytes } = await (await built(exactOf(mixture(100, D), D))).save(path);
    for (const size of [bytes - 1, bytes - 100, 200, 50, 0]) {
      truncateSync(path, size);
      await expect(sealed(path)).rejects.toMatchObject({ code: 'INDEX_WRITE' });
    }
  });
});
