/** Recall of the HNSW graph by `ef`. */

import type { EfCurve } from '../hnsw.ts';
import type { PlotSpec } from './render.ts';

export function recallByEf(dataset: string, { vectors, points }: EfCurve): PlotSpec {
  const values = points.map(({ ef, recall, p50 }) => ({
    ef,
    recall,
    label: `${(1000 * p50).toFixed(0)} µs`,
  }));
  return {
    title: {
      text: `HNSW against the exact scan: ${dataset}`,
      subtitle: `recall@10 over ${vectors.toLocaleString('en')} vectors; labels: median time of one search`,
    },
    width: 560,
    height: 300,
    data: { values },
    encoding: {
      x: {
        field: 'ef',
        type: 'quantitative',
        scale: { type: 'log', nice: false, padding: 20 },
        axis: { title: 'ef', values: points.map(({ ef }) => ef) },
      },
      y: { field: 'recall', type: 'quantitative', title: 'recall@10', scale: { zero: false, padding: 20 } },
    },
    layer: [
      { mark: { type: 'line', point: true } },
      {
        mark: { type: 'text', align: 'left', dx: 5, dy: 12, fontSize: 11 },
        encoding: { text: { field: 'label', type: 'nominal' } },
      },
    ],
  };
}
