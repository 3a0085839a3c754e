/**
 * `npm run bench -- churn`: does a search notice that the catalog changes? One client asks a server without pause,
 * first while nothing happens, then while skills are edited, so that scans, commits and merges run beside it.
 */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { columns } from '../../src/evaluation/public.ts';
import { EXAMPLE_SKILLS, SHIPPED_DATASET } from '../places.ts';
import { writeFigures } from '../readme.ts';
import { generationOf } from './generation.ts';
import type { LoadOptions } from './load.ts';
import { latencyOf, runIndex, withServer, writeProbe } from './processes.ts';
import { readQueries } from './queries.ts';
import { programOf } from './run.ts';

/** Between two edits, ms: as often as a server looks at a small catalog. */
const EDIT_EVERY_MS = 1_000;
const WARM_UP_MS = 5_000;

export async function measureChurn(options: Omit<LoadOptions, 'clients'>): Promise<void> {
  const scratch = await mkdtemp(join(tmpdir(), 'skillgate-churn-'));
  try {
    const own = join(scratch, 'own');
    await writeProbe(own, 'the beginning');
    const skills = [...(options.skills ?? [EXAMPLE_SKILLS]).map((folder) => resolve(folder)), own];
    const index = join(scratch, 'index');
    const args = [...skills.flatMap((folder) => ['--skills', folder]), '--index', index];
    const place = { program: programOf(options.program), args };
    const queries = await readQueries(resolve(options.queries ?? join(SHIPPED_DATASET, 'queries.jsonl')));
    const { skills: count } = await runIndex(place);
    const { seconds } = options;
    const { result } = await withServer([place.program, 'serve', ...args], async ({ search }) => {
      const ask = async (milliseconds: number) => {
        const times: number[] = [];
        const until = performance.now() + milliseconds;
        for (let turn = 0; performance.now() < until; turn += 1) {
          const start = performance.now();
          await search(queries[turn % queries.length]!);
          times.push(performance.now() - start);
        }
        return times;
      };
      await ask(WARM_UP_MS);
      const idle = await ask(1000 * seconds);
      const before = await generationOf(index);
      let edits = 0;
      const editing = setInterval(() => void writeProbe(own, `edit ${edits++}`), EDIT_EVERY_MS);
      const busy = await ask(1000 * seconds);
      clearInterval(editing);
      return { idle, busy, commits: (await generationOf(index)) - before };
    });
    const text = table(count, seconds, result);
    process.stdout.write(text);
    if (options.writeReadme) await writeFigures('churn', text);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

function table(
  skills: number,
  seconds: number,
  { idle, busy, commits }: { idle: readonly number[]; busy: readonly number[]; commits: number },
): string {
  const [quiet, disturbed] = [latencyOf(idle), latencyOf(busy)];
  const row = (name: string, times: readonly number[], { p50, p95, p99 }: typeof quiet, note: string) => [
    name,
    String(times.length),
    ...[p50, p95, p99, Math.max(...times)].map((value) => value.toFixed(2)),
    note,
  ];
  return columns(
    [
      [`${skills} skills, ${seconds} s each`, 'searches', 'p50 ms', 'p95 ms', 'p99 ms', 'most ms', ''],
      row('nothing happens', idle, quiet, ''),
      row('a skill is edited every second', busy, disturbed, `${commits} commits`),
      [
        'ratio',
        '',
        ...(['p50', 'p95', 'p99'] as const).map((q) => (disturbed[q] / quiet[q]).toFixed(2)),
        '',
        '',
      ],
    ],
    [0],
  );
}
