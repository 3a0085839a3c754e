/** `skillgate eval`: measures retrieval on labelled queries, or writes a template for such a set. */

import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import type { Reader } from '../../../index/reader/reader.ts';
import type { CommonOptions } from '../../../src/app/configured.ts';
import { messageOf } from '../../../src/base/errors.ts';
import { readBelow } from '../../../src/base/files/read.ts';
import type { Library } from '../../../src/catalog/library.ts';
import { withGateway } from '../../../src/cli/commands/with-gateway.ts';
import { CliError, EXIT } from '../../../src/cli/exit-codes.ts';
import { clip, colours, print, printReport, say, width } from '../../../src/cli/output.ts';
import { counted } from '../../../src/mcp/text.ts';
import { entryAt } from '../../../src/search/search.ts';
import { readDataset } from '../beir.ts';
import { bm25 } from '../bm25.ts';
import { type Comparison, compare } from '../compare.ts';
import { type Dataset, EvaluationError, missingDocuments, renamed } from '../dataset.ts';
import { asSystem, evaluate as evaluateSystem } from '../evaluate.ts';
import { type Evaluation, type Miss, missesOf } from '../evaluation.ts';
import { isEvalFile, requestsIn } from '../own-evals.ts';
import { calibrationLine, evaluationTable, noMatchLine, percent, severalLine } from '../table.ts';
import { makeTemplate } from '../template.ts';
import { readTrecRun, trecRun } from '../trec-run.ts';

/** Ranks requested: the deepest cut-off of the standard measures. */
const DEPTH = 10;

export interface EvalOptions extends CommonOptions {
  readonly queries?: string;
  readonly qrels?: string;
  readonly run?: string;
  /** 0–1. */
  readonly minHit1?: number;
  readonly baseline?: string;
  readonly makeQueries?: string;
  readonly only?: readonly string[];
}

export async function evaluate(options: EvalOptions): Promise<void> {
  if (options.makeQueries !== undefined) return makeQueries(options, options.makeQueries);
  if (options.only !== undefined)
    throw new CliError('USAGE', '--only chooses skills for a template: it needs --make-queries.');
  const read = await filesOf(options);
  await withGateway(options, async (gateway, library) => {
    const { reader } = await library.current();
    const given = read ?? (await ownEvals(library, reader));
    const dataset = renamed(given, (name) => idOf(reader, name) ?? name);
    const missing = missingDocuments(dataset, (id) => idOf(reader, id) !== null);
    for (const note of dataset.notes) say(note);
    if (missing.length > 0)
      say(
        `${counted(missing.length, 'judged skill')} not found, such as ${missing.slice(0, 3).join(', ')}: not in this catalog, or a name that several skills have. Use ids. The measures count them as never found.`,
      );
    const system = { name: 'skillgate', ...asSystem((request) => gateway.search(request)) };
    const evaluation = await evaluateSystem(system, dataset, { depth: DEPTH });
    const cards = await evaluateSystem({ name: CARDS, ...overCards(reader) }, dataset, { depth: DEPTH });
    const missed = missesOf(evaluation, dataset);
    const change =
      options.baseline === undefined ? null : await changeSince(options.baseline, dataset, evaluation);
    if (options.run !== undefined) writeFileSync(options.run, trecRun(evaluation));
    const { latency: _, results, ...figures } = cards;
    if (options.json === true)
      printReport({
        ...evaluation,
        notes: dataset.notes,
        missing,
        missed,
        cards: figures,
        ...(change === null ? {} : { change }),
      });
    else showEvaluation({ evaluation, cards, missed, change });
    const below = limitsMissed(evaluation, options.minHit1, change);
    for (const line of below) say(line);
    if (below.length > 0) process.exitCode = EXIT.below;
  });
}

/** The name of the baseline, as in the benchmark. */
const CARDS = 'bm25-card';

async function filesOf({ queries, qrels }: EvalOptions): Promise<Dataset | null> {
  if (queries === undefined && qrels === undefined) return null;
  if (queries === undefined || qrels === undefined)
    throw new CliError(
      'USAGE',
      'eval needs both --queries FILE and --qrels FILE; without them it reads the evals/ of the skills.',
    );
  return asUsage(readDataset({ name: basename(dirname(resolve(queries))), queries, qrels }));
}

/** Turns errors about files of the caller into `CliError`. */
async function asUsage<T>(reading: Promise<T>): Promise<T> {
  return reading.catch((error: unknown) => {
    if (error instanceof EvaluationError) throw new CliError('USAGE', error.message, { cause: error });
    throw error;
  });
}

/** The requests in `evals/` of the skills, each answered by the skills that have it. */
async function ownEvals(library: Library, reader: Reader): Promise<Dataset> {
  const owners = new Map<string, Set<string>>();
  let skills = 0;
  for (const ordinal of reader.ordinalsByKey()) {
    const entry = entryAt(reader, ordinal);
    const files = await library.filesOf(entry);
    const own = new Set(files.map(({ path }) => path));
    let has = false;
    for (const { path } of files.filter((file) => isEvalFile(file.path) && file.size <= MAX_EVAL_BYTES)) {
      const bytes = await readBelow(entry.folder, path, (found) => own.has(found), MAX_EVAL_BYTES).catch(
        () => null,
      );
      for (const request of requestsIn(bytes === null ? '' : Buffer.from(bytes).toString('utf8'), path)) {
        has = true;
        owners.set(request, (owners.get(request) ?? new Set()).add(entry.id));
      }
    }
    if (has) skills += 1;
  }
  if (owners.size === 0)
    throw new CliError(
      'USAGE',
      'No skill has requests in evals/. Give --queries FILE and --qrels FILE, or --make-queries DIR to start a set.',
    );
  const all = [...owners].map(([text, ids], at) => ({ id: `e${at + 1}`, text, ids }));
  return {
    name: 'evals of the skills',
    queries: all.map(({ id, text }) => ({ id, text })),
    qrels: new Map(all.map(({ id, ids }) => [id, new Map([...ids].map((skill) => [skill, 1]))])),
    notes: [`${counted(all.length, 'request')} from evals/ of ${counted(skills, 'skill')}.`],
  };
}

/** Larger files hold data, not requests. */
const MAX_EVAL_BYTES = 4 * 2 ** 20;

function overCards(reader: Reader) {
  const entries = Array.from(reader.ordinalsByKey(), (ordinal) => entryAt(reader, ordinal));
  return bm25(
    entries.map(({ id }) => id),
    entries.map(({ name, description }) => `${name}\n${description}`),
  );
}

/** The same queries with the rankings of an earlier run. */
async function changeSince(file: string, dataset: Dataset, evaluation: Evaluation): Promise<Comparison> {
  const text = await readFile(file, 'utf8').catch((cause: unknown) => {
    throw new CliError('USAGE', `Cannot read ${file}: ${messageOf(cause)}`, { cause });
  });
  return asUsage(
    (async () => {
      const run = readTrecRun(text, file);
      const unknown = dataset.queries.filter(({ id }) => !run.has(id));
      if (unknown.length === dataset.queries.length)
        throw new CliError('USAGE', `${file} has no ranking for any of these queries. Make it with --run.`);
      if (unknown.length > 0)
        say(
          `${counted(unknown.length, 'query', 'queries')} without a ranking in ${file}: they count as not found there.`,
        );
      const rankings = new Map(dataset.queries.map(({ id, text: query }) => [query, run.get(id) ?? []]));
      const before = await evaluateSystem(
        { name: 'baseline', search: async (query, k) => (rankings.get(query) ?? []).slice(0, k) },
        dataset,
        { depth: DEPTH },
      );
      return compare(before, evaluation, HIT1);
    })(),
  );
}

function limitsMissed({ means }: Evaluation, least: number | undefined, change: Comparison | null): string[] {
  const hit1 = means[HIT1] ?? 0;
  return [
    ...(least !== undefined && hit1 < least
      ? [`Hit@1 is ${percent(hit1)} %, below the ${percent(least)} % of --min-hit1.`]
      : []),
    ...(change !== null && change.difference < 0
      ? [`Hit@1 is ${percent(hit1)} %, below the ${percent(change.baseline.mean)} % of the baseline.`]
      : []),
  ];
}

/** The id of the skill with this id, URI or name; null where none has it, or several have the name. */
function idOf(reader: Reader, name: string): string | null {
  const entries = reader.resolve(name).map((ordinal) => entryAt(reader, ordinal));
  const exact = entries.find(({ id, uri }) => id === name || uri === name);
  return (exact ?? (entries.length === 1 ? entries[0] : undefined))?.id ?? null;
}

async function makeQueries(options: EvalOptions, folder: string): Promise<void> {
  if (existsSync(join(folder, 'queries.jsonl')))
    throw new CliError(
      'USAGE',
      `${folder} already holds queries.jsonl, and nothing was written. Choose another folder.`,
    );
  const template = await withGateway(options, async (_gateway, library) => {
    const { reader } = await library.current();
    const skills = Array.from(reader.ordinalsByKey(), (ordinal) => {
      const { id, name, description, source } = entryAt(reader, ordinal);
      return { id, name, description, source, headings: reader.passages.headings(ordinal) };
    });
    const { only } = options;
    if (only === undefined) return makeTemplate(skills);
    const sources = [...new Set(skills.map(({ source }) => source))].sort();
    for (const name of only)
      if (!sources.includes(name))
        throw new CliError('USAGE', `There is no source ${name}. Sources: ${sources.join(', ')}.`);
    return makeTemplate(skills.filter(({ source }) => only.includes(source)));
  });
  mkdirSync(folder, { recursive: true });
  for (const [name, content] of Object.entries(template)) writeFileSync(join(folder, name), content);
  print(
    `Wrote ${Object.keys(template).join(', ')} to ${folder}. Fill in the queries, then run eval with both files.`,
  );
}

/** The measure that limits are about. */
const HIT1 = 'Hit@1';
/** Missed queries that are printed; the JSON has all. */
const PRINTED = 20;

interface Report {
  readonly evaluation: Evaluation;
  /** BM25 on names and descriptions, on the same queries. */
  readonly cards: Evaluation;
  readonly missed: readonly Miss[];
  readonly change: Comparison | null;
}

function showEvaluation({ evaluation, cards, missed, change }: Report): void {
  const lines = [...severalLine(evaluation), ...noMatchLine(evaluation), ...calibrationLine(evaluation)];
  print(
    [evaluationTable([evaluation, cards], { groups: true }), ...lines.map((line) => `${line}\n`)].join(''),
  );
  if (missed.length > 0) showMissed(missed);
  if (change !== null) showChange(change);
}

function showMissed(missed: readonly Miss[]): void {
  print(`${counted(missed.length, 'query', 'queries')} whose first hit is not the wanted skill:`);
  for (const { query, text, wanted, rank, winner } of missed.slice(0, PRINTED)) {
    print(`  ${colours.bold(query)}  ${clip(text, width() - query.length - 4)}`);
    const where = rank === null ? 'not found' : `rank ${rank}`;
    print(`    wanted ${wanted.join(', ')} (${where}), first ${winner ?? 'nothing'}`);
  }
  if (missed.length > PRINTED) print(colours.dim(`  and ${missed.length - PRINTED} more; --json has all`));
  print('skillgate why "QUERY" SKILL says what the wanted skill lacks.');
}

function showChange({ baseline, contender, pValue, differences }: Comparison): void {
  const won = differences.filter(({ difference }) => difference > 0);
  const lost = differences.filter(({ difference }) => difference < 0);
  print(
    `Hit@1 ${percent(baseline.mean)} → ${percent(contender.mean)} against the baseline, p ${pValue.toFixed(3)}: ${won.length} won, ${lost.length} lost.`,
  );
  for (const { query, text } of lost)
    print(`  lost ${colours.bold(query)}  ${clip(text, width() - query.length - 9)}`);
}
