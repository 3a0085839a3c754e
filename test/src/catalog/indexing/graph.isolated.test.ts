import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Reader } from '../../../../index/reader/reader.ts';
import { indexDirectory } from '../../../../src/catalog/index-directory.ts';
import { needsPackage } from '../../../needs.ts';
import { plant } from '../../sources/scan/tree.ts';
import { skill, workshop } from './workshop.ts';

const TREE = { 'pdf/SKILL.md': skill('pdf', 'Fill in forms'), 'csv/SKILL.md': skill('csv', 'Clean tables') };

describe('a graph that is no longer what its manifest says', needsPackage('hnswlib-node'), () => {
  const damages: Record<string, (path: string) => void> = {
    damaged(path) {
      const bytes = readFileSync(path);
      bytes[300]! ^= 1;
      writeFileSync(path, bytes);
    },
    cut: (path) => writeFileSync(path, readFileSync(path).subarray(0, 200)),
    missing: (path) => rmSync(path),
  };

  it.each(Object.keys(damages))('is built again by the next run where it is %s', async (damage) => {
    const folder = plant({});
    const { run, directory, embedder } = workshop(TREE, indexDirectory(folder));
    await run({ vectors: 'hnsw' });
    const graph = readdirSync(folder).find((name) => name.endsWith('.hnsw'));
    damages[damage]?.(join(folder, graph!));
    expect(await run({ vectors: 'hnsw' })).toMatchObject({ kept: 2, hnswRecall: 1 });
    const reader = Reader.open(directory, { embedder, vectors: 'hnsw' })!;
    expect(await reader.openVectors()).toMatchObject({ kind: 'hnsw', fallback: null });
    reader.close();
  });
});
