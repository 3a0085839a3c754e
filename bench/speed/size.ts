/** Everything that is measured of one catalog: one process after the other, so that none disturbs the next. */

import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { ShowProgress } from '../progress.ts';
import { insideReport, peerReport, type SizeFigures } from './figures.ts';
import { PEERS } from './peers/all.ts';
import {
  latencyOf,
  type Place,
  PROBE,
  probeSaying,
  runIndex,
  runIndexAfter,
  searchOnce,
  timesOf,
  withServer,
  writeProbe,
} from './processes.ts';
import { readQueries } from './queries.ts';
import { type Finished, runNode } from './usage.ts';

/** A server watches its folders some seconds after its start: what is saved before is found by looking, too. */
const WATCHED_AFTER_MS = 10_000;
/** A search of the running server is tried again after this time, ms, until it finds the file just saved. */
const FRESH_EVERY_MS = 50;
/** A large catalog is looked at once in twenty times as long as a look takes: minutes at 250,000 skills. */
const FRESH_PATIENCE_MS = 600_000;

export interface Setting {
  readonly program: string;
  /** File of queries. */
  readonly queries: string;
  readonly scratch: string;
  readonly repeat: number;
  readonly searches: number;
  /** Whether peers are measured too. */
  readonly peers: boolean;
  readonly show: ShowProgress;
}

/** Beyond it a peer builds for minutes and answers in seconds: what they are like shows below. */
const LARGEST_WITH_PEERS = 30_000;

/** `folders` hold `size` skills together. */
export async function measureSize(
  size: number,
  folders: readonly string[],
  setting: Setting,
): Promise<SizeFigures> {
  const { program, scratch, repeat, searches, show } = setting;
  const label = `${size} skills`;
  const asked = setting.peers && size <= LARGEST_WITH_PEERS ? PEERS : [];
  const steps = 6 + asked.length;
  let step = 0;
  const next = () => show(label, step++, steps);
  const index = join(scratch, `index-${size}`);
  const own = join(scratch, `own-${size}`);
  await writeProbe(own, 'the beginning');
  const given = [...folders, own].flatMap((folder) => ['--skills', folder]);
  const place: Place = { program, args: [...given, '--index', index] };
  const queries = await readQueries(setting.queries);
  next();
  const build = await runIndex(place);
  next();
  const unchanged = await runIndexAfter(place, repeat, 0, async () => {});
  const oneChanged = await runIndexAfter(place, repeat, 1, (round) => writeProbe(own, `round ${round}`));
  const some = Math.max(1, Math.round(size / 100));
  next();
  const edits = await editSkills(folders, some);
  const percentChanged = await runIndexAfter(place, 1, some, edits.make);
  await edits.undo();
  const search = await searchOnce(place, queries[0]!, repeat);
  next();
  const started = await firstAnswers(place, queries[0]!, repeat);
  const { result, usage } = await withServer([program, 'serve', ...place.args], async (served) => {
    const times = await timesOf(served.search, queries, searches);
    await setTimeout(WATCHED_AFTER_MS);
    return { times, freshMs: await freshness(served, own) };
  });
  next();
  const corpus = join(scratch, `corpus-${size}`);
  await mkdir(corpus);
  const inside = insideReport.parse(
    JSON.parse(
      await child('inside.ts', [
        ...[index, setting.queries, String(searches)],
        ...(asked.length > 0 ? [corpus] : []),
      ]),
    ),
  );
  next();
  const peers: SizeFigures['peers'] = [];
  for (const { name } of asked) {
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
    percentChanged: { ...processFigures(percentChanged), changed: some },
    search: processFigures(search),
    serve: { ...started, bytes: usage.bytes, peakBytes: usage.peakBytes },
    mcp: latencyOf(result.times),
    freshMs: result.freshMs,
    ...inside,
    peers,
  };
  await Promise.all([index, corpus].map((folder) => rm(folder, { recursive: true, force: true })));
  return figures;
}

const processFigures = ({ wallMs, cpuMs, peakBytes }: Finished) => ({ wallMs, cpuMs, peakBytes });

type FirstAnswer = 'listMs' | 'firstMs' | 'cpuMs' | 'firstBytes';

/** A server that is started, asked once, and ended: medians. */
async function firstAnswers(
  { program, args }: Place,
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
 * Saves a skill that speaks of something new and asks until it is found: by its name, so that what is timed does not
 * depend on how a catalog's other skills rank for the words.
 */
async function freshness(
  { search }: { search: (query: string) => Promise<string> },
  own: string,
): Promise<number> {
  const word = 'zyzzyvas in the pantry';
  const start = performance.now();
  await writeProbe(own, word);
  for (;;) {
    const answer = await search(`${PROBE} ${word}`);
    if (answer.includes(probeSaying(word))) return performance.now() - start;
    if (performance.now() - start > FRESH_PATIENCE_MS)
      throw new Error(
        `A saved skill was not found in ${FRESH_PATIENCE_MS / 1_000} s. Last answer: ${answer}`,
      );
    await setTimeout(FRESH_EVERY_MS);
  }
}

/** A line more in each of `count` skills, and without it again: the next run finds the catalog as it was. */
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

/** Runs a file of this folder to its end and gives what it printed. */
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
