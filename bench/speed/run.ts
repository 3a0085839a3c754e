/**
 * `npm run bench:speed`: time and resources of the built program by size of the catalog. The same run measures peers
 * and the floors of the machine. Every figure comes from fresh processes.
 */

import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { machine } from '../machine.ts';
import { withScratchFolder } from '../paths.ts';
import { growth } from '../plots/growth.ts';
import { renderSvg } from '../plots/render.ts';
import { progressBar } from '../progress.ts';
import { publish, writeJson } from '../results-file.ts';
import { ratios } from './compare-runs.ts';
import { exponents } from './exponents.ts';
import { parseSpeed, type SizeFigures, type SpeedFigures } from './figures.ts';
import { floors } from './floors.ts';
import { ratiosToFloors } from './floors-table.ts';
import { grow } from './grow.ts';
import { builtProgram, queriesOf, type SetupOptions, skillFolders } from './setup.ts';
import { measureSize, type Setting } from './size.ts';
import { speedTable } from './table.ts';

interface SpeedOptions extends SetupOptions {
  /** Small catalogs, no peers, and a table of ratios to the floors. */
  readonly quick?: boolean;
  readonly sizes?: readonly number[];
  /** The largest size of `grow`, whose sizes are powers of ten below it. */
  readonly to?: number;
  readonly repeat: number;
  readonly searches: number;
  readonly seed: number;
  /** Folder for temporary files. Keeps the grown catalogs for the next run. */
  readonly work?: string;
  readonly against?: string;
  /** False for --no-peers. */
  readonly peers: boolean;
  readonly out: string;
  /** The command line for `RESULTS.md`; absent: print only. */
  readonly write?: string;
}

const SIZES = [100, 1_000, 5_000, 25_000];
/** With these, a run takes some two minutes on two cores. */
const QUICK_SIZES = [100, 1_000];

/** 1,000, 10,000 … and the largest. */
function sizesUpTo(largest: number): number[] {
  const sizes = [largest];
  for (let size = 1_000; size < largest; size *= 10) sizes.push(size);
  return sizes;
}

export async function measureSpeed(options: SpeedOptions): Promise<void> {
  const { quick = false, work, repeat, searches, seed } = options;
  // Read before the run, which may overwrite the file.
  const before = options.against === undefined ? null : parseSpeed(await readFile(options.against, 'utf8'));
  if (work !== undefined) await mkdir(work, { recursive: true });
  const figures = await withScratchFolder((scratch) => measureSizes(options, scratch), work);
  const comparison = before === null ? '' : `\n${ratios(before, figures)}`;
  const [name, title] = quick
    ? ['speed-quick', 'Speed, quick run']
    : options.to === undefined
      ? ['speed', 'Speed']
      : ['growth', 'How cost grows'];
  const grown = options.to === undefined ? '' : `\n${exponents(figures.sizes)}`;
  await publish(
    {
      name,
      title,
      figures: (quick ? ratiosToFloors(figures) : speedTable(figures)) + grown + comparison,
      conditions: `Median of ${repeat} processes per figure, ${searches} warm searches, seed ${seed}.`,
    },
    options.write,
  );
}

async function measureSizes(options: SpeedOptions, scratch: string): Promise<SpeedFigures> {
  const { quick = false, repeat, searches } = options;
  const show = progressBar();
  const setting: Setting = {
    program: builtProgram(options),
    queries: queriesOf(options),
    scratch,
    repeat,
    searches,
    peers: options.peers && !quick && options.to === undefined,
    whole: options.to !== undefined,
    show,
  };
  const catalogs = await grow({
    skills: skillFolders(options),
    into: join(resolve(options.work ?? scratch), 'grown-catalogs'),
    sizes:
      options.sizes ?? (options.to === undefined ? (quick ? QUICK_SIZES : SIZES) : sizesUpTo(options.to)),
    seed: options.seed,
    onProgress: (done, total) => show('growing catalogs', done, total),
  });
  const sizes: SizeFigures[] = [];
  const figures: SpeedFigures = { machine: machine(), floors: await floors(repeat, scratch), sizes };
  for (const [at, { size }] of catalogs.entries()) {
    const folders = catalogs.slice(0, at + 1).map(({ folder }) => folder);
    sizes.push(await measureSize(size, folders, setting));
    // Written after each size: a run that is stopped keeps its figures.
    await writeJson(options.out, 'speed.json', figures);
    await writeFile(join(options.out, 'growth.svg'), await renderSvg(growth(sizes)));
  }
  return figures;
}
