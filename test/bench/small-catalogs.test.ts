/** Slices of a catalog, other wordings of its queries, holes, and pools for judging. */

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { queriesFrom } from '../../bench/asked.ts';
import { holesLine, holesOf } from '../../bench/holes.ts';
import { filesOf, poolsOf } from '../../bench/judge.ts';
import { sliceFor } from '../../bench/slices.ts';
import { readDatasetFolder } from '../../extensions/lab/beir.ts';
import { seeded } from '../../extensions/lab/statistics.ts';

const ids = Array.from({ length: 200 }, (_, at) => `skill-${at}`);
const qrels = new Map([
  [
    'q',
    new Map([
      ['skill-1', 3],
      ['skill-2', 1],
      ['skill-3', 0],
    ]),
  ],
  ['gone', new Map([['elsewhere', 3]])],
]);

describe('sliceFor', () => {
  it('draws skills that nobody judged for the query, and one of its best', () => {
    const slice = sliceFor({ id: 'q', text: 'x' }, { qrels }, ids, 40, seeded(1))!;
    expect(slice.best).toBe('skill-1');
    expect(new Set(slice.others).size).toBe(40);
    for (const judged of ['skill-1', 'skill-2', 'skill-3']) expect(slice.others).not.toContain(judged);
  });

  it('draws the same for the same seed, and nothing without a best skill in the catalog', () => {
    const draw = (seed: number) => sliceFor({ id: 'q', text: 'x' }, { qrels }, ids, 12, seeded(seed));
    expect(draw(7)).toEqual(draw(7));
    expect(draw(7)).not.toEqual(draw(8));
    expect(sliceFor({ id: 'gone', text: 'x' }, { qrels }, ids, 12, seeded(1))).toBeNull();
  });
});

describe('queriesFrom', () => {
  const dataset = {
    queries: [
      { id: 'q', text: 'long words', style: 'user' },
      { id: 'r', text: 'others' },
    ],
  };

  it('keeps id and style, and takes the other words', () => {
    expect(queriesFrom('{"_id":"q","text":"short"}\n', dataset)).toEqual([
      { id: 'q', text: 'short', style: 'user' },
    ]);
  });

  it('refuses a query that the dataset does not have', () => {
    expect(() => queriesFrom('{"_id":"z","text":"short"}', dataset)).toThrow('The dataset has no query z');
  });
});

const result = (id: string, hits: readonly string[]) => ({
  query: { id, text: 'x' },
  ranking: hits.map((hit, at) => ({ id: hit, score: 1 - at / 10 })),
  values: null,
  firstHit: null,
  confidence: null,
  tookMs: 1,
});

describe('holesOf', () => {
  it('counts the first five hits without a judgement; a judged zero is none, an unjudged query does not count', () => {
    // skill-1 and skill-3 are judged: 3 of 5 are holes. The sixth hit does not count.
    const results = [result('q', ['skill-1', 'a', 'skill-3', 'b', 'c', 'd']), result('never', ['a'])];
    expect(holesOf({ results }, { qrels })).toBeCloseTo(3 / 5);
    expect(holesLine([{ system: 'hybrid', results }], { qrels })).toBe(
      'Not judged, of the first 5 hits: hybrid 60.0',
    );
  });
});

describe('pools for judging', () => {
  const queries = [
    { id: 'q', text: 'words', style: 'user' },
    { id: 'done', text: 'x' },
  ];
  const found = new Map([
    ['q', new Set(['skill-1', 'a', 'b'])],
    ['done', new Set<string>()],
  ]);

  it('hold what nobody judged, in the layout of a collection', () => {
    const pools = poolsOf(found, { qrels });
    expect([...pools.get('q')!].sort()).toEqual(['a', 'b']);
    const files = filesOf(queries, { qrels }, pools, (id) => ({ _id: id }));
    expect(files['queries.jsonl']).toBe('{"_id":"q","text":"words","style":"user"}\n');
    expect(files['corpus.jsonl']).toBe('{"_id":"a"}\n{"_id":"b"}\n');
    expect(files['qrels.tsv'].split('\n').filter((line) => line.endsWith('\t'))).toHaveLength(2);
    expect(files['qrels.tsv']).toContain('q\tskill-1\t3\n');
  });

  it('are a dataset once every score is filled in, and an error that names the line before', async () => {
    const files = filesOf(queries, { qrels }, poolsOf(found, { qrels }), (id) => ({ _id: id }));
    const folder = await mkdtemp(join(tmpdir(), 'pools-'));
    await writeFile(join(folder, 'queries.jsonl'), files['queries.jsonl']);
    await writeFile(join(folder, 'qrels.tsv'), files['qrels.tsv']);
    await expect(readDatasetFolder(folder)).rejects.toThrow(/qrels\.tsv:5: the score is a whole number/);
    await writeFile(join(folder, 'qrels.tsv'), files['qrels.tsv'].replaceAll('\t\n', '\t0\n'));
    expect((await readDatasetFolder(folder)).qrels.get('q')!.size).toBe(5);
    await rm(folder, { recursive: true });
  });
});
