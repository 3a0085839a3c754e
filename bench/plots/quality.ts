/** Quality by size of the catalog, and by latency. */

import type { Evaluation } from '../evaluation/evaluation.ts';
import type { PlotSpec } from './render.ts';

const MEASURE = 'nDCG@10';

/** All systems at one size of the catalog. */
export interface SizePoint {
  readonly size: number;
  readonly evaluations: readonly Evaluation[];
}

export function qualityBySize(dataset: string, points: readonly SizePoint[]): PlotSpec {
  const values = points.flatMap(({ size, evaluations }) =>
    evaluations.map(({ system, means }) => ({ system, size, quality: 100 * (means[MEASURE] ?? 0) })),
  );
  return {
    title: {
      text: `Quality against catalog size: ${dataset}`,
      subtitle: `${MEASURE} over all queries, in per cent`,
    },
    width: 560,
    height: 340,
    data: { values },
    mark: { type: 'line', point: true },
    encoding: {
      x: {
        field: 'size',
        type: 'quantitative',
        scale: { type: 'log', nice: false },
        axis: { title: 'skills in the catalog', values: points.map(({ size }) => size), format: ',' },
      },
      y: { field: 'quality', type: 'quantitative', title: MEASURE, scale: { domainMin: 0 } },
      color: {
        field: 'system',
        type: 'nominal',
        title: null,
        sort: bestFirst(points.at(-1)?.evaluations ?? []),
      },
    },
  };
}

export function qualityByLatency(dataset: string, evaluations: readonly Evaluation[]): PlotSpec {
  const values = evaluations.map(({ system, means, latency }) => ({
    system,
    quality: 100 * (means[MEASURE] ?? 0),
    // The clock is not exact below a microsecond, and a logarithm needs more than 0.
    latency: Math.max(0.001, latency.p50),
  }));
  return {
    title: {
      text: `Quality against latency: ${dataset}`,
      subtitle: 'Up and left is better; one search, including the embedding of its query',
    },
    width: 560,
    height: 340,
    data: { values },
    mark: { type: 'point', filled: true, size: 90, opacity: 1 },
    encoding: {
      x: {
        field: 'latency',
        type: 'quantitative',
        scale: { type: 'log', padding: 20 },
        axis: { title: 'p50, ms', values: [0.001, 0.01, 0.1, 1, 10, 100, 1_000, 10_000], format: '~g' },
      },
      y: { field: 'quality', type: 'quantitative', title: MEASURE, scale: { domainMin: 0, padding: 20 } },
      color: { field: 'system', type: 'nominal', title: null, sort: bestFirst(evaluations) },
    },
  };
}

/** System names from best to worst, for the legend. */
function bestFirst(evaluations: readonly Evaluation[]): string[] {
  return [...evaluations]
    .sort((a, b) => (b.means[MEASURE] ?? 0) - (a.means[MEASURE] ?? 0))
    .map(({ system }) => system);
}
