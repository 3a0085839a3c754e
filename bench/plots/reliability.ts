/** Reliability diagram: claimed confidence against how often the first hit is right. */

import { type Claim, calibrationError, reliability } from '../evaluation/confidence.ts';
import type { PlotSpec } from './render.ts';

export function reliabilityDiagram(dataset: string, claims: readonly Claim[]): PlotSpec {
  const values = reliability(claims).map((bin) => ({ ...bin }));
  const error = (100 * calibrationError(claims)).toFixed(1);
  return {
    title: {
      text: `Reliability of the confidence: ${dataset}`,
      subtitle: [
        'On the diagonal, the confidence equals the share of right answers.',
        `Expected calibration error ${error} points over ${claims.length} queries.`,
      ],
    },
    width: 380,
    height: 380,
    layer: [
      {
        data: { values: [{ at: 0 }, { at: 1 }] },
        mark: { type: 'line', strokeDash: [4, 4], color: '#999999' },
        encoding: {
          x: { field: 'at', type: 'quantitative' },
          y: { field: 'at', type: 'quantitative' },
        },
      },
      {
        data: { values },
        mark: { type: 'bar', opacity: 0.35, color: '#0072B2' },
        encoding: {
          x: {
            field: 'from',
            type: 'quantitative',
            bin: { binned: true },
            scale: { domain: [0, 1] },
            title: 'confidence',
          },
          x2: { field: 'to' },
          y: {
            field: 'accuracy',
            type: 'quantitative',
            scale: { domain: [0, 1] },
            title: 'share of answers whose first hit is right',
          },
        },
      },
      {
        data: { values },
        mark: { type: 'point', filled: true, color: '#0072B2' },
        encoding: {
          x: { field: 'meanConfidence', type: 'quantitative' },
          y: { field: 'accuracy', type: 'quantitative' },
          size: { field: 'claims', type: 'quantitative', title: 'queries', scale: { rangeMin: 20 } },
        },
      },
    ],
  };
}
