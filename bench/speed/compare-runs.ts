/** Compares two runs by the ratio of each figure. The ratio of the floor shows how much the machine differs. */

import { columns } from '../evaluation/table.ts';
import type { SizeFigures, SpeedFigures } from './figures.ts';

const COMPARED: readonly (readonly [string, (size: SizeFigures) => number])[] = [
  ['index from nothing, wall', ({ build }) => build.wallMs],
  ['index from nothing, CPU', ({ build }) => build.cpuMs],
  ['index from nothing, peak memory', ({ build }) => build.peakBytes],
  ['index on disk', ({ diskBytes }) => diskBytes],
  ['nothing changed, CPU', ({ unchanged }) => unchanged.cpuMs],
  ['one skill changed, CPU', ({ oneChanged }) => oneChanged.cpuMs],
  ['saved file found', ({ freshMs }) => freshMs],
  ['serve: first answer, CPU', ({ serve }) => serve.cpuMs],
  ['serve: first answer, wall', ({ serve }) => serve.firstMs],
  ['serve: memory at rest', ({ serve }) => serve.bytes],
  ['search in process, p50', ({ inside }) => inside.search.p50],
  ['search in process, p99', ({ inside }) => inside.search.p99],
  ['search over MCP, p50', ({ mcp }) => mcp.p50],
  ['search over MCP, p99', ({ mcp }) => mcp.p99],
];

/** Now ÷ before, for the sizes that both runs have. */
export function ratios(before: SpeedFigures, now: SpeedFigures): string {
  const pairs = now.sizes.flatMap((size) => {
    const old = before.sizes.find(({ skills }) => skills === size.skills);
    return old === undefined ? [] : [{ old, size }];
  });
  const ratio = (a: number, b: number) => (a === 0 ? '–' : (b / a).toFixed(2));
  return columns(
    [
      ['now ÷ before', ...pairs.map(({ size }) => String(size.skills))],
      ...COMPARED.map(([what, figure]) => [
        what,
        ...pairs.map(({ old, size }) => ratio(figure(old), figure(size))),
      ]),
      [
        'floor: an empty Node process, CPU',
        ...pairs.map(() => ratio(before.floors.node.cpuMs, now.floors.node.cpuMs)),
      ],
    ],
    [0],
  );
}
