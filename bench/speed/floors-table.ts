/** The floors of a run, and its figures as multiples of them. */

import { columns } from '../evaluation/table.ts';
import type { SizeFigures, SpeedFigures } from './figures.ts';

/** Two decimals below 10, none above. */
export const ms = (value: number) => value.toFixed(value < 10 ? 2 : 0);
export const mb = (bytes: number | undefined) => (bytes === undefined ? '–' : (bytes / 2 ** 20).toFixed(0));

/** The floors themselves. */
export function floorsTable({ node, server, roundTrip }: Floors): string {
  return columns(
    [
      ['floors', 'wall ms', 'CPU ms', 'MB'],
      ['an empty Node process', ms(node.wallMs), ms(node.cpuMs), mb(node.peakBytes)],
      ['a bare MCP server, first answer', ms(server.wallMs), ms(server.cpuMs), mb(server.peakBytes)],
      ['its warm round trip, p50', ms(roundTrip.p50), '', ''],
    ],
    [0],
  );
}

type Floors = SpeedFigures['floors'];

/** A figure, the name of its floor, the figure's value, and the value of the floor. */
type Ratio = readonly [string, string, (size: SizeFigures) => number, (floors: Floors) => number];

const RATIOS: readonly Ratio[] = [
  ['index from nothing, CPU', 'Node', ({ build }) => build.cpuMs, ({ node }) => node.cpuMs],
  ['  memory, peak', 'Node', ({ build }) => build.peakBytes, ({ node }) => node.peakBytes],
  ['nothing changed, CPU', 'Node', ({ unchanged }) => unchanged.cpuMs, ({ node }) => node.cpuMs],
  ['one skill changed, CPU', 'Node', ({ oneChanged }) => oneChanged.cpuMs, ({ node }) => node.cpuMs],
  ['search in a fresh process, CPU', 'Node', ({ search }) => search.cpuMs, ({ node }) => node.cpuMs],
  ['  wall', 'Node', ({ search }) => search.wallMs, ({ node }) => node.wallMs],
  ['  memory, peak', 'Node', ({ search }) => search.peakBytes, ({ node }) => node.peakBytes],
  ['serve: first answer, CPU', 'MCP', ({ serve }) => serve.cpuMs, ({ server }) => server.cpuMs],
  ['  wall', 'MCP', ({ serve }) => serve.firstMs, ({ server }) => server.wallMs],
  ['serve: memory at rest', 'MCP', ({ serve }) => serve.bytes, ({ server }) => server.peakBytes],
  ['saved file found by serve', 'MCP', ({ freshMs }) => freshMs, ({ server }) => server.wallMs],
  [
    'search in process, p50',
    'round trip',
    ({ inside }) => inside.search.p50,
    ({ roundTrip }) => roundTrip.p50,
  ],
  ['  p99', 'round trip', ({ inside }) => inside.search.p99, ({ roundTrip }) => roundTrip.p99],
  ['search over MCP, p50', 'round trip', ({ mcp }) => mcp.p50, ({ roundTrip }) => roundTrip.p50],
  ['  p99', 'round trip', ({ mcp }) => mcp.p99, ({ roundTrip }) => roundTrip.p99],
];

/** Each figure as a multiple of a floor measured in the same run: comparable between machines and hours. */
export function ratiosToFloors({ floors, sizes }: SpeedFigures): string {
  const head = ['multiple of a floor', 'floor', ...sizes.map(({ skills }) => `${skills} skills`)];
  const rows = RATIOS.map(([what, floor, value, lowest]) => [
    what,
    floor,
    ...sizes.map((size) => (value(size) / lowest(floors)).toFixed(2)),
  ]);
  const legend =
    'Node: an empty process. MCP: a bare server, to its first answer. Round trip: its warm call.';
  return `${columns([head, ...rows], [0, 1])}\n${floorsTable(floors)}\n${legend}\n`;
}
