/**
 * `npm run bench -- churn`: does a change of the catalog slow down searches? One client searches without pause, first
 * while the catalog is idle, then while a skill is edited again and again: scans, commits and merges then run at the same
 * time.
 */

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { columns } from '../evaluation/table.ts';
import { withScratchFolder } from '../paths.ts';
import { publish } from '../results-file.ts';
import { latencyOf, withServer, writeProbe } from './processes.ts';
import { type SetupOptions, setUp } from './setup.ts';

interface ChurnOptions extends SetupOptions {
  /** Duration of each measurement. */
  readonly seconds: number;
  /** The command line for `RESULTS.md`; absent: print only. */
  readonly write?: string;
}

interface Churn {
  /** Times of single searches, ms. */
  readonly idle: readonly number[];
  readonly edited: readonly number[];
  /** Generations of the index that were committed during the edits. */
  readonly commits: number;
}

/** Time between two edits, ms. */
const EDIT_EVERY_MS = 1_000;
const WARM_UP_MS = 5_000;

export async function measureChurn(options: ChurnOptions): Promise<void> {
  const { seconds } = options;
  const figures = await withScratchFolder(async (scratch) => {
    const probe = join(scratch, 'probe');
    await writeProbe(probe, 'the beginning');
    const { program, args, index, queries, skills } = await setUp(options, scratch, [probe]);
    const { result } = await withServer([program, 'serve', ...args], async ({ search }): Promise<Churn> => {
      const searchFor = async (milliseconds: number) => {
        const times: number[] = [];
        const until = performance.now() + milliseconds;
        for (let turn = 0; performance.now() < until; turn += 1) {
          const start = performance.now();
          await search(queries[turn % queries.length]!);
          times.push(performance.now() - start);
        }
        return times;
      };
      await searchFor(WARM_UP_MS);
      const idle = await searchFor(1000 * seconds);
      const before = await generationOf(index);
      let edits = 0;
      const editing = setInterval(() => void writeProbe(probe, `edit ${edits++}`), EDIT_EVERY_MS);
      const edited = await searchFor(1000 * seconds);
      clearInterval(editing);
      return { idle, edited, commits: (await generationOf(index)) - before };
    });
    return table(skills, seconds, result);
  });
  await publish({ name: 'churn', title: 'Searches while the catalog changes', figures }, options.write);
}

const manifest = z.object({ name: z.string() });

/** The number in the name of the current manifest. */
async function generationOf(index: string): Promise<number> {
  const { name } = manifest.parse(JSON.parse(await readFile(join(index, 'CURRENT'), 'utf8')));
  return Number(/\d+/.exec(name)?.[0] ?? 0);
}

function table(skills: number, seconds: number, { idle, edited, commits }: Churn): string {
  const [quiet, disturbed] = [latencyOf(idle), latencyOf(edited)];
  const row = (name: string, times: readonly number[], { p50, p95, p99 }: typeof quiet, note: string) => [
    name,
    String(times.length),
    ...[p50, p95, p99, Math.max(...times)].map((value) => value.toFixed(2)),
    note,
  ];
  const ratios = (['p50', 'p95', 'p99'] as const).map((q) => (disturbed[q] / quiet[q]).toFixed(2));
  return columns(
    [
      [`${skills} skills, ${seconds} s each`, 'searches', 'p50 ms', 'p95 ms', 'p99 ms', 'max ms', ''],
      row('idle catalog', idle, quiet, ''),
      row('one skill edited every second', edited, disturbed, `${commits} commits`),
      ['ratio', '', ...ratios, '', ''],
    ],
    [0],
  );
}
