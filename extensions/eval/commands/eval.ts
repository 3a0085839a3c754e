/** `skillgate eval`: measures search on labelled queries, or on the requests in the `evals/` of the skills. */

import { readFile } from 'node:fs/promises';
import { basename, dirname, resolve } from 'node:path';
import * as z from 'zod';
import type { CommonOptions, Gateway, Library, Reader } from '../../../src/app/extension-api.ts';
import { errorMessage } from '../../../src/base/errors.ts';
import { readBelow } from '../../../src/base/files/read.ts';
import { parseJson } from '../../../src/base/json.ts';
import { counted } from '../../../src/base/text.ts';
import { withGateway } from '../../../src/cli/commands/with-gateway.ts';
import { CliError, EXIT } from '../../../src/cli/exit-codes.ts';
import { clip, colours, print, printReport, say, width } from '../../../src/cli/output.ts';
import { entryAt } from '../../../src/search/search.ts';
import { isEvalFile, MAX_EVAL_BYTES, readRequests } from '../../../src/skills/requests.ts';
import { type Dataset, DatasetError, missingDocuments, readDataset, renamed } from '../dataset.ts';
import {
  type Change,
  compare,
  DEPTH,
  type Evaluation,
  evaluate as evaluateRankings,
  hit1,
  type QueryResult,
  type Rankings,
} from '../evaluate.ts';

export interface EvalOptions extends CommonOptions {
  readonly queries?: string;
  readonly qrels?: string;
  /** 0–1. */
  readonly minHit1?: number;
  /** The output of an earlier run with `--json`. */
  readonly baseline?: string;
}

export async function evaluate(options: EvalOptions): Promise<void> {
  const labelled = await readLabelled(options);
  const baseline = options.baseline === undefined ? null : await readBaseline(options.baseline);
  await withGateway(options, async (gateway, library) => {
    const { reader } = await library.current();
    const dataset = renamed(
      labelled ?? (await ownEvals(library, reader)),
      (name) => findId(reader, name) ?? name,
    );
    const missing = missingDocuments(dataset, (id) => findId(reader, id) !== null);
    for (const note of dataset.notes) say(note);
    if (missing.length > 0)
      say(
        `${counted(missing.length, 'judged skill')} not found, such as ${missing.slice(0, 3).join(', ')}: not in this catalog, or a name that several skills have. Use ids. The measures count them as never found.`,
      );
    const evaluation = evaluateRankings(dataset, await rank(dataset, gateway));
    const unanswered = dataset.queries.length - evaluation.queries;
    if (unanswered > 0)
      say(`${counted(unanswered, 'query', 'queries')} that no skill answers: left out of the measures.`);
    const change = baseline === null ? null : compareWith(baseline, dataset, evaluation);
    if (options.json === true)
      printReport({ ...evaluation, notes: dataset.notes, missing, ...(change !== null && { change }) });
    else showEvaluation(evaluation, change);
    // A skill that is not found by its own requests is a fault, unless a limit allows for some.
    const isOwn = labelled === null && baseline === null && options.minHit1 === undefined;
    const faults = isOwn ? ownMissed(evaluation) : limitsMissed(evaluation, options.minHit1, change);
    for (const line of faults) say(line);
    if (faults.length > 0) process.exitCode = EXIT.below;
  });
}

async function readLabelled({ queries, qrels }: EvalOptions): Promise<Dataset | null> {
  if (queries === undefined && qrels === undefined) return null;
  if (queries === undefined || qrels === undefined)
    throw new CliError(
      'USAGE',
      'eval needs both --queries FILE and --qrels FILE; without them it reads the evals/ of the skills.',
    );
  const name = basename(dirname(resolve(queries)));
  return readDataset({ name, queries, qrels }).catch((error: unknown) => {
    if (error instanceof DatasetError) throw new CliError('USAGE', error.message, { cause: error });
    throw error;
  });
}

/** Lists copies separately, since a dataset may judge each of them. */
async function rank({ queries }: Dataset, gateway: Pick<Gateway, 'search'>): Promise<Rankings> {
  const rankings = new Map<string, readonly string[]>();
  for (const { id, text } of queries) {
    const { hits } = await gateway.search({ query: text, limit: DEPTH, foldTwins: false });
    rankings.set(
      id,
      hits.map(({ entry }) => entry.id),
    );
  }
  return rankings;
}

const baselineSchema = z.object({
  results: z.array(z.object({ query: z.string(), ranking: z.array(z.string()) })).min(1),
});

interface Baseline {
  readonly file: string;
  readonly rankings: Rankings;
}

async function readBaseline(file: string): Promise<Baseline> {
  const text = await readFile(file, 'utf8').catch((cause: unknown) => {
    throw new CliError('USAGE', `Cannot read ${file}: ${errorMessage(cause)}`, { cause });
  });
  const report = baselineSchema.safeParse(parseJson(text));
  if (!report.success)
    throw new CliError(
      'USAGE',
      `${file} is not a baseline. Make one with: skillgate eval … --json > ${file}`,
    );
  return { file, rankings: new Map(report.data.results.map(({ query, ranking }) => [query, ranking])) };
}

/** Judges the earlier rankings by the judgements of today. */
function compareWith({ file, rankings }: Baseline, dataset: Dataset, evaluation: Evaluation): Change {
  const unknown = evaluation.results.filter(({ query }) => !rankings.has(query));
  if (unknown.length === evaluation.queries)
    throw new CliError('USAGE', `${file} has no ranking for any of these queries.`);
  if (unknown.length > 0)
    say(
      `${counted(unknown.length, 'query', 'queries')} without a ranking in ${file}: they count as not found there.`,
    );
  return compare(evaluateRankings(dataset, rankings), evaluation);
}

/** The requests that the skills carry, each answered by the skills that have it: all in `evals/`, others as they are indexed. */
async function ownEvals(library: Library, reader: Reader): Promise<Dataset> {
  const owners = new Map<string, Set<string>>();
  let skills = 0;
  for (const ordinal of reader.ordinalsByKey()) {
    const entry = entryAt(reader, ordinal);
    const files = await library.filesOf(entry);
    const paths = new Set(files.map(({ path }) => path));
    const requests = requestsElsewhere(reader, ordinal);
    for (const { path } of files.filter((file) => isEvalFile(file.path) && file.size <= MAX_EVAL_BYTES)) {
      const bytes = await readBelow(entry.folder, path, (file) => paths.has(file), MAX_EVAL_BYTES).catch(
        () => null,
      );
      if (bytes !== null) requests.push(...readRequests(bytes, path).requests);
    }
    for (const request of requests) owners.set(request, (owners.get(request) ?? new Set()).add(entry.id));
    if (requests.length > 0) skills += 1;
  }
  if (owners.size === 0)
    throw new CliError(
      'USAGE',
      'No skill carries requests. Give --queries FILE and --qrels FILE; usage --export DIR starts a set.',
    );
  const all = [...owners].map(([text, ids], at) => ({ id: `e${at + 1}`, text, ids }));
  return {
    name: 'evals of the skills',
    queries: all.map(({ id, text }) => ({ id, text })),
    qrels: new Map(all.map(({ id, ids }) => [id, new Map([...ids].map((skill) => [skill, 1]))])),
    notes: [`${counted(all.length, 'request')} of ${counted(skills, 'skill')}.`],
  };
}

/** In front matter, or written by an agent. */
const requestsElsewhere = ({ passages }: Reader, ordinal: number): string[] =>
  passages.kinds(ordinal).flatMap((kind, at) => {
    if (kind !== 'request') return [];
    const { path, text } = passages.get(ordinal, at);
    return isEvalFile(path) ? [] : text;
  });

/** The id of the skill with this id, URI or name; null where none has it, or several have the name. */
function findId(reader: Reader, name: string): string | null {
  const entries = reader.resolve(name).map((ordinal) => entryAt(reader, ordinal));
  const exact = entries.find(({ id, uri }) => id === name || uri === name);
  return (exact ?? (entries.length === 1 ? entries[0] : undefined))?.id ?? null;
}

/** 0.4219 → `42.2`. */
const percent = (share: number) => (100 * share).toFixed(1);

function limitsMissed(evaluation: Evaluation, least: number | undefined, change: Change | null): string[] {
  const share = hit1(evaluation);
  return [
    ...(least !== undefined && share < least
      ? [`Hit@1 is ${percent(share)} %, below the ${percent(least)} % of --min-hit1.`]
      : []),
    ...(change !== null && share < change.baseline
      ? [`Hit@1 is ${percent(share)} %, below the ${percent(change.baseline)} % of the baseline.`]
      : []),
  ];
}

const ownMissed = ({ missed, queries }: Evaluation): string[] =>
  missed.length === 0
    ? []
    : [`Not found first by their own requests: ${missed.length} of ${queries}. --min-hit1 allows for some.`];

/** Missed queries that are printed; the JSON has all. */
const PRINTED = 20;

function showEvaluation(evaluation: Evaluation, change: Change | null): void {
  const { queries, means, missed } = evaluation;
  const figures = Object.entries(means).map(([name, mean]) => `${name} ${percent(mean)}`);
  print(`${figures.join(', ')} over ${counted(queries, 'query', 'queries')}.`);
  if (missed.length > 0) showMissed(missed);
  if (change === null) return;
  const { baseline, won, lost } = change;
  print(
    `Hit@1 ${percent(baseline)} → ${percent(hit1(evaluation))} against the baseline: ${won.length} won, ${lost.length} lost.`,
  );
  for (const { query, text } of lost)
    print(`  lost ${colours.bold(query)}  ${clip(text, width() - query.length - 9)}`);
}

function showMissed(missed: readonly QueryResult[]): void {
  print(`${counted(missed.length, 'query', 'queries')} whose first hit is not the wanted skill:`);
  for (const { query, text, wanted, rank, ranking } of missed.slice(0, PRINTED)) {
    print(`  ${colours.bold(query)}  ${clip(text, width() - query.length - 4)}`);
    const where = rank === null ? 'not found' : `rank ${rank}`;
    print(`    wanted ${wanted.join(', ')} (${where}), first ${ranking[0] ?? 'nothing'}`);
  }
  if (missed.length > PRINTED) print(colours.dim(`  and ${missed.length - PRINTED} more; --json has all`));
  print('skillgate why "QUERY" SKILL says what the wanted skill lacks.');
}
