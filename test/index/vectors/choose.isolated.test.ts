import { join } from 'node:path';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { chooseVectorIndex, HNSW_ROWS, wantsHnsw } from '../../../index/vectors/choose.ts';
import { buildHnsw } from '../../../index/vectors/hnsw.ts';
import type { HnswFile } from '../../../index/vectors/hnsw-file.ts';
import { exactOf } from '../../contracts/vector-index.ts';
import { mixture } from '../../contracts/vectors.ts';
import { needsPackage } from '../../needs.ts';
import { temporaryFolder } from '../../temporary-folder.ts';

const folder = temporaryFolder();

describe('wantsHnsw', () => {
  it('follows the mode, and the number of rows where the mode is auto', () => {
    expect(wantsHnsw('exact', HNSW_ROWS * 10)).toBe(false);
    expect(wantsHnsw('hnsw', 1)).toBe(true);
    expect(wantsHnsw('auto', HNSW_ROWS - 1)).toBe(false);
    expect(wantsHnsw('auto', HNSW_ROWS)).toBe(true);
  });
});

describe('chooseVectorIndex', needsPackage('hnswlib-node'), () => {
  const exact = exactOf(mixture(500, 16), 16);
  const path = join(folder, 'graph');
  let saved: HnswFile;
  beforeAll(async () => {
    const index = await buildHnsw(exact);
    if (index.kind === 'unavailable') throw new Error(index.reason);
    saved = await index.save(path);
  });

  it('scans small indexes even if there is a graph', async () => {
    const index = await chooseVectorIndex(exact, 'auto', saved, path);
    expect([index.kind, index.fallback]).toEqual(['exact', null]);
  });

  it('opens the requested graph', async () => {
    const index = await chooseVectorIndex(exact, 'hnsw', saved, path);
    expect([index.kind, index.fallback]).toEqual(['hnsw', null]);
  });

  it('scans and reports why if the graph is missing or damaged', async () => {
    const missing = await chooseVectorIndex(exact, 'hnsw', null, null);
    expect([missing.kind, missing.fallback]).toEqual(['exact', expect.stringContaining('no HNSW graph')]);
    const wrong = { ...saved, sha256: '0'.repeat(64) };
    const damaged = await chooseVectorIndex(exact, 'hnsw', wrong, path);
    expect([damaged.kind, damaged.fallback]).toEqual([
      'exact',
      expect.stringContaining('fails its checksum'),
    ]);
    expect(damaged.nearest(exact.matrix.vector(9), 1).ordinals[0]).toBe(9);
  });
});

describe('chooseVectorIndex when hnswlib-node fails', needsPackage('hnswlib-node'), () => {
  afterEach(() => {
    vi.doUnmock('hnswlib-node');
    vi.resetModules();
  });

  it('scans and reports the error', async () => {
    const exact = exactOf(mixture(50, 16), 16);
    const path = join(folder, 'refused');
    const built = await buildHnsw(exact);
    if (built.kind === 'unavailable') throw new Error(built.reason);
    const file = await built.save(path);
    vi.resetModules();
    class HierarchicalNSW {
      readIndex() {
        return Promise.reject(new Error('std::bad_alloc'));
      }
    }
    vi.doMock('hnswlib-node', () => ({ default: { HierarchicalNSW } }));
    const { chooseVectorIndex: choose } = await import('../../../index/vectors/choose.ts');
    const index = await choose(exact, 'hnsw', file, path);
    expect(index.kind).toBe('exact');
    expect(index.fallback).toMatch(/refused cannot be loaded \(std::bad_alloc\): index again/);
  });
});

describe('chooseVectorIndex without hnswlib-node', () => {
  afterEach(() => {
    vi.doUnmock('hnswlib-node');
    vi.resetModules();
  });

  it('scans and names the missing package, instead of asking to index again', async () => {
    vi.resetModules();
    vi.doMock('hnswlib-node', () => {
      throw new Error("Cannot find package 'hnswlib-node'");
    });
    const { chooseVectorIndex: choose } = await import('../../../index/vectors/choose.ts');
    const index = await choose(exactOf(mixture(50, 16), 16), 'hnsw', null, null);
    expect(index.kind).toBe('exact');
    expect(index.fallback).toMatch(/hnswlib-node cannot be loaded.*every row is scanned/);
  });
});
