/** The figures of a run as text: one column per size, with targets where there are any. */

import { columns } from '../evaluation/table.ts';
import type { SizeFigures, SpeedFigures } from './figures.ts';
import { floorsTable, mb, ms } from './floors-table.ts';

interface Line {
  readonly what: string;
  readonly unit: string;
  /** Target for a machine with two cores, at 1,000 (1k) or 25,000 (25k) skills. */
  readonly target?: string;
  readonly value: (size: SizeFigures) => string;
}

const each = (total: number, wallMs: number) => ((1000 * total) / wallMs).toFixed(0);

const seconds = (run?: SizeFigures['build']) => (run === undefined ? '–' : ms(run.wallMs / 1000));

const LINES: readonly Line[] = [
  { what: 'passages', unit: '', value: ({ passages }) => String(passages) },
  {
    what: 'index from nothing',
    unit: 's',
    target: '25k ≤ 120',
    value: ({ build }) => ms(build.wallMs / 1000),
  },
  { what: '  CPU', unit: 's', value: ({ build }) => ms(build.cpuMs / 1000) },
  { what: '  skills', unit: '/s', value: ({ skills, build }) => each(skills, build.wallMs) },
  { what: '  passages', unit: '/s', value: ({ passages, build }) => each(passages, build.wallMs) },
  {
    what: '  Markdown',
    unit: 'MB/s',
    value: ({ textBytes, build }) => each(textBytes / 2 ** 20, build.wallMs),
  },
  { what: '  memory, peak', unit: 'MB', target: '100k ≤ 2000', value: ({ build }) => mb(build.peakBytes) },
  { what: 'index on disk', unit: 'MB', value: ({ diskBytes }) => mb(diskBytes) },
  {
    what: '  a passage',
    unit: 'bytes',
    value: ({ diskBytes, passages }) => (diskBytes / passages).toFixed(0),
  },
  { what: 'nothing changed', unit: 'ms', value: ({ unchanged }) => ms(unchanged.wallMs) },
  {
    what: 'one skill changed',
    unit: 'ms',
    target: '25k ≤ 1500',
    value: ({ oneChanged }) => ms(oneChanged.wallMs),
  },
  { what: '  CPU', unit: 'ms', value: ({ oneChanged }) => ms(oneChanged.cpuMs) },
  { what: '1 % of the skills changed', unit: 'ms', value: ({ percentChanged }) => ms(percentChanged.wallMs) },
  { what: 'all segments merged again', unit: 's', value: ({ compaction }) => seconds(compaction) },
  { what: 'validate', unit: 's', value: ({ validate }) => seconds(validate) },
  { what: 'saved file found by serve', unit: 'ms', value: ({ freshMs }) => ms(freshMs) },
  { what: 'search in a fresh process', unit: 'ms', value: ({ search }) => ms(search.wallMs) },
  { what: '  CPU', unit: 'ms', value: ({ search }) => ms(search.cpuMs) },
  { what: '  memory, peak', unit: 'MB', value: ({ search }) => mb(search.peakBytes) },
  { what: 'serve: list of tools', unit: 'ms', value: ({ serve }) => ms(serve.listMs) },
  { what: 'serve: first answer', unit: 'ms', value: ({ serve }) => ms(serve.firstMs) },
  { what: '  CPU', unit: 'ms', target: '1k ≤ 200, 25k ≤ 400', value: ({ serve }) => ms(serve.cpuMs) },
  { what: '  memory', unit: 'MB', value: ({ serve }) => mb(serve.firstBytes) },
  {
    what: 'serve: memory at rest',
    unit: 'MB',
    target: '1k ≤ 120, 25k ≤ 600',
    value: ({ serve }) => mb(serve.bytes),
  },
  { what: '  peak', unit: 'MB', value: ({ serve }) => mb(serve.peakBytes) },
  {
    what: 'search in process, p50',
    unit: 'ms',
    target: '1k ≤ 0.5, 25k ≤ 2',
    value: ({ inside }) => ms(inside.search.p50),
  },
  { what: '  p95', unit: 'ms', value: ({ inside }) => ms(inside.search.p95) },
  { what: '  p99', unit: 'ms', target: '1k ≤ 1, 25k ≤ 6', value: ({ inside }) => ms(inside.search.p99) },
  { what: '  embedding, p50', unit: 'ms', value: ({ inside }) => ms(inside.embed.p50) },
  { what: '  the rest, p50', unit: 'ms', value: ({ inside }) => ms(inside.retrieve.p50) },
  { what: '  protocol, p50', unit: 'ms', value: ({ inside, mcp }) => ms(mcp.p50 - inside.search.p50) },
  { what: 'search over MCP, p50', unit: 'ms', value: ({ mcp }) => ms(mcp.p50) },
  { what: '  p95', unit: 'ms', value: ({ mcp }) => ms(mcp.p95) },
  { what: '  p99', unit: 'ms', value: ({ mcp }) => ms(mcp.p99) },
  { what: 'vectors searched by', unit: '', value: ({ inside }) => inside.vectors },
  {
    what: 'recall@10 against scoring all',
    unit: '',
    target: '≥ 0.99',
    value: ({ recall }) => recall.at10.toFixed(4),
  },
];

/** All figures of a run. Ends with a line break. */
export function speedTable({ machine, floors, sizes }: SpeedFigures): string {
  const head = ['skills', '', 'target', ...sizes.map(({ skills }) => String(skills))];
  const rows = LINES.map(({ what, unit, target = '', value }) => [what, unit, target, ...sizes.map(value)]);
  return [
    `${machine.cpu}, ${machine.cores} cores, ${mb(machine.memoryBytes)} MB, Node ${machine.node}\n\n`,
    columns([head, ...rows], [0, 1, 2]),
    `\n${floorsTable(floors)}`,
    ...sizes.filter(({ peers }) => peers.length > 0).map((size) => `\n${peerTable(size)}`),
  ].join('');
}

/** Each peer: time of a search, also as a multiple of skillgate's. */
function peerTable({ skills, inside, build, serve, peers }: SizeFigures): string {
  const own = inside.search.p50;
  const rows = peers.map(({ name, skipped, buildMs, search, bytes }) =>
    search === undefined || buildMs === undefined || bytes === undefined
      ? [name, skipped ?? '', '', '', '', '']
      : [name, ms(buildMs / 1000), ms(search.p50), ms(search.p99), (search.p50 / own).toFixed(2), mb(bytes)],
  );
  return columns(
    [
      [`${skills} skills`, 'build s', 'p50 ms', 'p99 ms', '× skillgate', 'MB'],
      [
        'skillgate, all passages',
        ms(build.wallMs / 1000),
        ms(own),
        ms(inside.search.p99),
        '1.00',
        mb(serve.bytes),
      ],
      ...rows,
    ],
    [0],
  );
}
