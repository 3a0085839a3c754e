import { describe, expect, it } from 'vitest';
import { comparisons, type Results, summary } from '../../bench/quality-report.ts';
import { type Evaluation, type QueryResult, summarise } from '../../extensions/lab/evaluation.ts';

function evaluationOf(
  system: string,
  values: readonly number[],
  results: Partial<QueryResult> = {},
): Evaluation {
  return summarise(
    system,
    'set',
    10,
    values.map((value, number) => ({
      query: { id: `q${number}`, text: 'x' },
      ranking: [],
      values: { 'Hit@1': value, 'nDCG@10': value },
      firstHit: null,
      confidence: null,
      tookMs: 1,
      ...results,
    })),
  );
}

const bare: Results = {
  dataset: 'set',
  skills: 7,
  embedder: 'model@1',
  holes: 'Not judged, of the first 5 hits: bm25f 40.0, hybrid 20.0',
  evaluations: [evaluationOf('bm25f', [0, 1, 0.5, 1]), evaluationOf('hybrid', [1, 1, 1, 0])],
  skipped: [],
  missing: [],
  sizes: null,
  withheld: null,
  foreign: null,
  hnsw: null,
};

describe('comparisons', () => {
  it('compare the product with each other system', () => {
    const all = comparisons([...bare.evaluations, evaluationOf('fuse', [0, 0, 0, 0])]);
    expect(
      all.map(({ baseline, contender, measure }) => [baseline.system, contender.system, measure]),
    ).toEqual([
      ['bm25f', 'hybrid', 'Hit@1'],
      ['bm25f', 'hybrid', 'nDCG@10'],
      ['fuse', 'hybrid', 'Hit@1'],
      ['fuse', 'hybrid', 'nDCG@10'],
    ]);
  });

  it('are empty if the product was not measured', () => {
    expect(comparisons(bare.evaluations.slice(0, 1))).toEqual([]);
  });
});

describe('summary', () => {
  it('shows the gain of the product, its significance and the number of queries', () => {
    const line = summary(bare)
      .split('\n')
      .find((text) => text.startsWith('bm25f') && text.includes('nDCG@10'));
    // Differences +1, 0, +0.5, −1: mean 0.125; better on two queries, worse on one.
    expect(line).toMatch(/^bm25f +nDCG@10 +\+12\.5 +−\d+\.\d … \+\d+\.\d +\d\.\d{3} +2 +1$/);
  });

  it('says how many of the first hits nobody has judged', () => {
    expect(summary(bare)).toContain('Not judged, of the first 5 hits: bm25f 40.0, hybrid 20.0\n');
  });

  it('lists systems that did not run and counts missing skills', () => {
    const text = summary({
      ...bare,
      skipped: [{ system: 'fuse', reason: 'too slow' }],
      missing: ['a', 'b'],
    });
    expect(text).toContain('fuse did not run: too slow.');
    expect(text).toContain('2 relevant skills are not in the catalog');
  });

  it('shows how well the confidence separates no-match queries', () => {
    const answered = evaluationOf('hybrid', [1, 1], { confidence: { fit: 0.9, first: 0.6 } }).results;
    const unanswered = evaluationOf('hybrid', [0], {
      confidence: { fit: 0.1, first: 0.7 },
      values: null,
    }).results;
    const withheld = summarise('hybrid', 'set', 10, [...answered, ...unanswered]);
    expect(summary({ ...bare, withheld })).toContain(
      'hybrid: ROC area 100.0, False positives@95% 0.0 over 1 no-match queries, half of the answers taken out',
    );
    expect(summary({ ...bare, foreign: withheld })).toContain(
      'False positives@95% 0.0 over 1 no-match queries, foreign requests among them',
    );
  });

  it('has a column per catalog size, empty where a system is too slow', () => {
    const sizes = [
      { size: 100, evaluations: [evaluationOf('hybrid', [1, 1]), evaluationOf('fuse', [0.5, 0])] },
      { size: 25_000, evaluations: [evaluationOf('hybrid', [1, 0])] },
    ];
    const lines = summary({ ...bare, evaluations: [], sizes });
    expect(lines).toMatch(/^Hit@1 \/ nDCG@10 of +100 skills +25000 skills$/m);
    expect(lines).toMatch(/^hybrid +100\.0 \/ 100\.0 +50\.0 \/ 50\.0$/m);
    expect(lines).toMatch(/^fuse +25\.0 \/ 25\.0$/m);
  });
});
