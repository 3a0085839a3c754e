/** Measures everything on one catalog, one process after the other, so that no process disturbs another. */

import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { ShowProgress } from '../progress.ts';
import { insideReport, peerReport, type SizeFigures } from './figures.ts';
import { PEERS } from './peers/all.ts';
import {
  type BuiltProgram,
  latencyOf,
  PROBE,
  probeDescription,
  runIndex,
  runIndexAfter,
  searchOnce,
  timesOf,
  withServer,
  writeProbe,
} from './processes.ts';
import { readQueries } from './queries.ts';
import { type FinishedRun, runNode } from './usage.ts';

/** A server watches its folders only some seconds after its start. Before, it finds changes by scanning. */
const WATCHED_AFTER_MS = 10_000;
/** Time between two searches for the saved file, ms. */
const FRESH_EVERY_MS = 50;
/** Longest wait for the saved file, ms. Without a watcher, a server scans 250,000 skills every few minutes. */
const FRESH_LIMIT_MS = 600_000;

export interface Setting {
  readonly program: string;
  /** The path of `queries.jsonl`. */
  readonly queries: string;
  readonly scratch: string;
  readonly repeat: number;
  readonly searches: number;
  /** Whether to measure peers too. */
  readonly peers: boolean;
  /** Whether to measure compaction and `validate` too. */
  readonly whole?: boolean;
  readonly show: ShowProgress;
}

/** In larger catalogs a peer takes minutes to build and seconds to search. */
const LARGEST_WITH_PEERS = 30_000;

/** `folders` together hold `size` skills. */
export async function measureSize(
  size: number,
  folders: readonly string[],
  setting: Setting,
): Promise<SizeFigures> {
  const { program, scratch, repeat, searches, show } = setting;
  const label = `${size} skills`;
  const peersHere = setting.peers && size <= LARGEST_WITH_PEERS ? PEERS : [];
  const steps = 6 + peersHere.length;
  let step = 0;
  const next = () => show(label, step++, steps);
  const index = join(scratch, `index-${size}`);
  const probe = join(scratch, `probe-${size}`);
  await writeProbe(probe, 'the beginning');
  const given = [...folders, probe].flatMap((folder) => ['--skills', folder]);
  const built: BuiltProgram = { program, args: [...given, '--index', index] };
  const queries = await readQueries(setting.queries);
  next();
  const build = await runIndex(built);
  next();
  const unchanged = await runIndexAfter(built, repeat, 0, async () => {});
  const oneChanged = await runIndexAfter(built, repeat, 1, (round) => writeProbe(probe, `round ${round}`));
  const changed = Math.max(1, Math.round(size / 100));
  next();
  const edits = await editSkills(folders, changed);
  const percentChanged = await runIndexAfter(built, 1, changed, edits.make);
  await edits.undo();
  const whole = setting.whole === true ? await wholeRuns(built, folders, size, given) : {};
  const search = await searchOnce(built, queries[0]!, repeat);
  next();
  const firstAnswer = await firstAnswers(built, queries[0]!, repeat);
  const { result, usage } = await withServer([program, 'serve', ...built.args], async (served) => {
    const times = await timesOf(served.search, queries, searches);
    await setTimeout(WATCHED_AFTER_MS);
    return { times, freshMs: await freshness(served, probe) };
  });
  next();
  const corpus = join(scratch, `corpus-${size}`);
  await mkdir(corpus);
  const inside = insideReport.parse(
    JSON.parse(
      await child('in-process.ts', [
        ...[index, setting.queries, String(searches)],
        ...(peersHere.length > 0 ? [corpus] : []),
      ]),
    ),
  );
  next();
  const peers: SizeFigures['peers'] = [];
  for (const { name } of peersHere) {
    peers.push(peerReport.parse(JSON.parse(await child('peers/run.ts', [name, corpus]))));
    next();
  }
  show(label, steps, steps);
  const figures: SizeFigures = {
    skills: build.skills,
    passages: build.passages,
    textBytes: await bytesIn(folders, '.md'),
    diskBytes: await bytesIn([index], ''),
    build: processFigures(build),
    unchanged: processFigures(unchanged),
    oneChanged: processFigures(oneChanged),
    percentChanged: { ...processFigures(percentChanged), changed },
    ...whole,
    search: processFigures(search),
    serve: { ...firstAnswer, bytes: usage.bytes, peakBytes: usage.peakBytes },
    mcp: latencyOf(result.times),
    freshMs: result.freshMs,
    ...inside,
    peers,
  };
  await Promise.all([index, corpus].map((folder) => rm(folder, { recursive: true, force: true })));
  return figures;
}

/** More of the skills than an index keeps outside of its first segment (`index/compaction.ts`). */
const COMPACTED_SHARE = 0.21;

/** A run that merges all segments again, and `validate`. The index before and after is that of the unchanged skills. */
async function wholeRuns(
  built: BuiltProgram,
  folders: readonly string[],
  size: number,
  given: readonly string[],
): Promise<Pick<SizeFigures, 'compaction' | 'validate'>> {
  await runIndex(built);
  const edits = await editSkills(folders, Math.ceil(COMPACTED_SHARE * size));
  await edits.make();
  const compaction = await runIndex(built);
  await edits.undo();
  await runIndex(built);
  const validate = await runNode([built.program, 'validate', '--json', ...given], { mayFail: true });
  return { compaction: processFigures(compaction), validate: processFigures(validate) };
}

const processFigures = ({ wallMs, cpuMs, peakBytes }: FinishedRun) => ({ wallMs, cpuMs, peakBytes });

type FirstAnswer = 'listMs' | 'firstMs' | 'cpuMs' | 'firstBytes';

/** Medians over servers that start, answer one search and end. */
async function firstAnswers(
  { program, args }: BuiltProgram,
  query: string,
  times: number,
): Promise<Record<FirstAnswer, number>> {
  const rounds: Record<FirstAnswer, number>[] = [];
  for (let round = 0; round < times; round++) {
    const { result, usage } = await withServer([program, 'serve', ...args], async (served) => {
      await served.search(query);
      return { listMs: served.listMs, firstMs: served.elapsed() };
    });
    rounds.push({ ...result, cpuMs: usage.cpuMs, firstBytes: usage.bytes });
  }
  const median = (figure: FirstAnswer) => latencyOf(rounds.map((round) => round[figure])).p50;
  return {
    listMs: median('listMs'),
    firstMs: median('firstMs'),
    cpuMs: median('cpuMs'),
    firstBytes: median('firstBytes'),
  };
}

/**
 * Edits the probe skill and searches until a hit shows the edit. The search names the probe, so the time does not depend
 * on the rank of other skills.
 */
async function freshness(
  { search }: { search: (query: string) => Promise<string> },
  probe: string,
): Promise<number> {
  const word = 'zyzzyvas in the pantry';
  const start = performance.now();
  await writeProbe(probe, word);
  for (;;) {
    const answer = await search(`${PROBE} ${word}`);
    if (answer.includes(probeDescription(word))) return performance.now() - start;
    if (performance.now() - start > FRESH_LIMIT_MS)
      throw new Error(
        `The saved skill was not found within ${FRESH_LIMIT_MS / 1_000} s. Last answer: ${answer}`,
      );
    await setTimeout(FRESH_EVERY_MS);
  }
}

/** `make` adds a line to each of `count` skills, `undo` restores them. */
async function editSkills(folders: readonly string[], count: number) {
  const texts = new Map<string, string>();
  for (const folder of [...folders].reverse())
    for (const name of (await readdir(folder)).sort()) {
      if (texts.size === count) break;
      const file = join(folder, name, 'SKILL.md');
      const text = await readFile(file, 'utf8').catch(() => null);
      if (text !== null) texts.set(file, text);
    }
  const write = async (more: string) => {
    for (const [file, text] of texts) await writeFile(file, text + more);
  };
  return { make: () => write('\nA line more.\n'), undo: () => write('') };
}

/** Runs a file of this folder to its end and returns its output. */
async function child(file: string, args: readonly string[]): Promise<string> {
  const path = fileURLToPath(new URL(file, import.meta.url));
  return (await runNode(['--import', 'tsx', path, ...args])).stdout;
}

async function bytesIn(folders: readonly string[], ending: string): Promise<number> {
  let sum = 0;
  for (const folder of folders)
    for (const entry of await readdir(folder, { recursive: true, withFileTypes: true }))
      if (entry.isFile() && entry.name.endsWith(ending))
        sum += (await stat(join(entry.parentPath, entry.name))).size;
  return sum;
}
