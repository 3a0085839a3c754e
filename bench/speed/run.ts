/**
 * `npm run bench:speed`: what users wait for, by size of the catalog, on the built program; beside it, in the same
 * run, other ways to search and the floors. Each figure comes from processes of its own.
 */

import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { cpus, tmpdir, totalmem } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { EXAMPLE_SKILLS, SHIPPED_DATASET } from '../places.ts';
import { growth } from '../plots/growth.ts';
import { renderSvg } from '../plots/render.ts';
import { progressBar } from '../progress.ts';
import { writeFigures } from '../readme.ts';
import { ratios } from './against.ts';
import { parseSpeed, type SizeFigures, type SpeedFigures } from './figures.ts';
import { floors } from './floors.ts';
import { grow } from './grow.ts';
import { measureSize, type Setting } from './size.ts';
import { speedTable } from './table.ts';

export interface SpeedOptions {
  readonly skills?: readonly string[];
  readonly queries?: string;
  readonly sizes: readonly number[];
  readonly repeat: number;
  readonly searches: number;
  readonly seed: number;
  /** Work there, and keep the grown catalogs for the next run. */
  readonly work?: string;
  readonly program?: string;
  readonly against?: string;
  /** False for --no-peers. */
  readonly peers: boolean;
  readonly out: string;
  readonly writeReadme?: boolean;
}

export async function measureSpeed(options: SpeedOptions): Promise<void> {
  const { work } = options;
  if (work !== undefined) await mkdir(work, { recursive: true });
  const scratch = await mkdtemp(join(resolve(work ?? tmpdir()), 'skillgate-speed-'));
  const show = progressBar();
  // Read first: it may be the file that this run replaces.
  const before = options.against === undefined ? null : parseSpeed(await readFile(options.against, 'utf8'));
  try {
    const setting: Setting = {
      program: programOf(options.program),
      queries: resolve(options.queries ?? join(SHIPPED_DATASET, 'queries.jsonl')),
      scratch,
      repeat: options.repeat,
      searches: options.searches,
      peers: options.peers,
      show,
    };
    const parts = await grow({
      skills: (options.skills ?? [EXAMPLE_SKILLS]).map((folder) => resolve(folder)),
      into: join(resolve(work ?? scratch), 'grown-catalogs'),
      sizes: options.sizes,
      seed: options.seed,
      onProgress: (done, total) => show('growing catalogs', done, total),
    });
    const machine = {
      node: process.version,
      cpu: cpus()[0]?.model ?? 'unknown',
      cores: cpus().length,
      memoryBytes: totalmem(),
    };
    const sizes: SizeFigures[] = [];
    const figures: SpeedFigures = { machine, floors: await floors(options.repeat, scratch), sizes };
    for (const [at, part] of parts.entries()) {
      const folders = parts.slice(0, at + 1).map(({ folder }) => folder);
      sizes.push(await measureSize(part.size, folders, setting));
      await keep(figures, options);
    }
    const text = speedTable(figures);
    process.stdout.write(text);
    if (before !== null) process.stdout.write(`\n${ratios(before, figures)}`);
    if (options.writeReadme) await writeFigures('speed', text);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

/** Where the built program is. */
export const programOf = (program: string | undefined): string =>
  resolve(program ?? fileURLToPath(new URL('../../dist/skillgate.js', import.meta.url)));

async function keep(figures: SpeedFigures, { out }: SpeedOptions): Promise<void> {
  await mkdir(out, { recursive: true });
  await writeFile(join(out, 'speed.json'), `${JSON.stringify(figures, null, 2)}\n`);
  await writeFile(join(out, 'growth.svg'), await renderSvg(growth(figures.sizes)));
}
