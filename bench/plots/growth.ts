/** Growth of cost with the catalog. Both axes are logarithmic: a straight line is a power, its slope the exponent. */

import type { SizeFigures } from '../speed/figures.ts';
import type { PlotSpec } from './render.ts';

/** Each series is drawn as a multiple of its value at the smallest size. */
const SERIES: readonly (readonly [string, (size: SizeFigures) => number])[] = [
  ['search in process, p50', ({ inside }) => inside.search.p50],
  ['search in process, p99', ({ inside }) => inside.search.p99],
  ['one skill changed, wall', ({ oneChanged }) => oneChanged.wallMs],
  ['saved file found by serve', ({ freshMs }) => freshMs],
  ['serve: first answer, CPU', ({ serve }) => serve.cpuMs],
  ['memory at rest', ({ serve }) => serve.bytes],
  ['index on disk', ({ diskBytes }) => diskBytes],
  ['index on disk, a skill', ({ diskBytes, skills }) => diskBytes / skills],
  ['index from nothing, CPU', ({ build }) => build.cpuMs],
];

export function growth(sizes: readonly SizeFigures[]): PlotSpec {
  const [first] = sizes;
  const values = sizes.flatMap((size) =>
    SERIES.map(([series, figure]) => ({
      series,
      skills: size.skills,
      times: first === undefined ? 1 : figure(size) / figure(first),
    })),
  );
  const least = first?.skills ?? 1;
  const linear = sizes.map(({ skills }) => ({ skills, times: skills / least }));
  const logarithm = sizes.map(({ skills }) => ({ skills, times: Math.log(skills) / Math.log(least) }));
  const x = {
    field: 'skills',
    type: 'quantitative',
    scale: { type: 'log', nice: false },
    axis: { title: 'skills in the catalog', values: sizes.map(({ skills }) => skills), format: ',' },
  } as const;
  const y = {
    field: 'times',
    type: 'quantitative',
    scale: { type: 'log' },
    axis: { title: 'multiple of the value at the smallest size', tickCount: 5 },
  } as const;
  return {
    title: {
      text: 'Growth with the catalog',
      subtitle: 'dashed: linear in the number of skills; dotted: logarithmic',
    },
    width: 560,
    height: 360,
    layer: [
      {
        data: { values: linear },
        mark: { type: 'line', strokeDash: [4, 4], color: '#999999' },
        encoding: { x, y },
      },
      {
        data: { values: logarithm },
        mark: { type: 'line', strokeDash: [1, 3], color: '#999999' },
        encoding: { x, y },
      },
      {
        data: { values },
        mark: { type: 'line', point: true },
        encoding: {
          x,
          y,
          color: { field: 'series', type: 'nominal', title: null, sort: SERIES.map(([name]) => name) },
        },
      },
    ],
  };
}
