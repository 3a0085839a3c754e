/** How cost grows: the slope between two sizes on logarithmic axes. 1 is in proportion, 0 is constant. */

import { columns } from '../evaluation/table.ts';
import type { SizeFigures } from './figures.ts';

const COSTS: readonly (readonly [what: string, cost: (size: SizeFigures) => number | undefined])[] = [
  ['index from nothing', ({ build }) => build.wallMs],
  ['  memory, peak', ({ build }) => build.peakBytes],
  ['index on disk', ({ diskBytes }) => diskBytes],
  ['one skill changed', ({ oneChanged }) => oneChanged.wallMs],
  ['all segments merged again', ({ compaction }) => compaction?.wallMs],
  ['validate', ({ validate }) => validate?.wallMs],
  ['saved file found by serve', ({ freshMs }) => freshMs],
  ['serve: first answer', ({ serve }) => serve.firstMs],
  ['  memory at rest', ({ serve }) => serve.bytes],
  ['search in process, p50', ({ inside }) => inside.search.p50],
  ['search over MCP, p50', ({ mcp }) => mcp.p50],
  ['  p99', ({ mcp }) => mcp.p99],
];

/** One column for each step, and one for the whole way; '' for fewer than two sizes. */
export function exponents(sizes: readonly SizeFigures[]): string {
  const steps = sizes.slice(1).map((size, at) => [sizes[at]!, size] as const);
  const ways = steps.length > 1 ? [...steps, [sizes[0]!, sizes.at(-1)!] as const] : steps;
  if (ways.length === 0) return '';
  const head = ['exponent', ...ways.map(([from, to]) => `${from.skills} to ${to.skills}`)];
  return columns([head, ...COSTS.map(([what, cost]) => [what, ...ways.map((way) => slope(way, cost))])], [0]);
}

function slope(
  [from, to]: readonly [SizeFigures, SizeFigures],
  cost: (size: SizeFigures) => number | undefined,
) {
  const [before, after] = [cost(from), cost(to)];
  if (before === undefined || after === undefined) return '–';
  return (Math.log(after / before) / Math.log(to.skills / from.skills)).toFixed(2);
}
