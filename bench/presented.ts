/**
 * `npm run bench -- choices`: what a model chooses from the list that a host puts into its prompt, and from an answer of
 * skillgate, for the same requests over the same catalogs. The model's choices are recorded (`datasets/choices`) and replayed.
 * `--prepare DIR` writes what the model is shown, `--collect DIR` keeps its answers.
 */

import { execFile } from 'node:child_process';
import { copyFile, cp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import * as z from 'zod';
import { computeListing, type ListedSkill, WINDOW_TOKENS } from '../extensions/connect/listing.ts';
import type { Dataset, Query } from '../extensions/eval/dataset.ts';
import { entryAt } from '../src/search/search.ts';
import { readDatasetFolder } from './evaluation/dataset-folder.ts';
import { relevant } from './evaluation/ranking.ts';
import { columns, percent } from './evaluation/table.ts';
import { LISTS } from './hosts.ts';
import { jsonLines, readLines } from './json-lines.ts';
import { openIndex } from './open-index.ts';
import { here } from './paths.ts';
import { best, type Stage, stagesOf } from './presented/catalogs.ts';
import { type Asked, listPrompt, type Presented, searchPrompt, writePrompts } from './presented/prompts.ts';
import { publish } from './results-file.ts';

interface ChoicesOptions {
  readonly index: string;
  readonly dataset: string;
  /** Requests whose judged skills are left out of every catalog. */
  readonly unfitting: string;
  readonly skills: readonly string[];
  readonly program: string;
  readonly seed: number;
  readonly prepare?: string;
  readonly collect?: string;
  /** The command line for `RESULTS.md`; absent: print only. */
  readonly write?: string;
}

/** Of the 360 requests of the collection, those that read as orders to an agent. */
const UNFITTING_STYLE = 'task';
const RECORDED = here('datasets/choices');

const wayRow = z.strictObject({
  way: z.string(),
  size: z.number(),
  part: z.number(),
  before: z.number(),
  search: z.number(),
});
type Way = z.infer<typeof wayRow>;

/** What the model did. `ids`: the skills that bear the name it loaded; empty: it invented the name. */
const choiceRow = z.strictObject({
  way: z.string(),
  size: z.number(),
  part: z.number(),
  run: z.number(),
  _id: z.string(),
  ids: z.array(z.string()).optional(),
  search: z.string().optional(),
});
type ChoiceRow = z.infer<typeof choiceRow>;

export interface ChoiceFigures {
  readonly size: number;
  readonly way: string;
  readonly runs: number;
  readonly choices: number;
  /** Shares of the requests that a skill fits, 0–1. */
  readonly right: number;
  readonly useful: number;
  readonly wrong: number;
  readonly none: number;
  readonly invented: number;
  /** Share of the requests that nothing fits for which a skill was loaded. */
  readonly loadedFalsely: number;
  readonly before: number;
  readonly search: number;
}

export async function measureChoices(options: ChoicesOptions): Promise<void> {
  const dataset = await readDatasetFolder(options.dataset);
  const unfitting = await unfittingOf(options);
  const reader = openIndex(options.index, null);
  const entries = new Map(
    Array.from(reader.ordinalsByKey(), (ordinal) => {
      const { name, description } = entryAt(reader, ordinal);
      return [reader.key(ordinal), { name, description }] as const;
    }),
  );
  reader.close();
  const nameOf = (id: string) => entries.get(id)!.name;
  const stages = stagesOf(dataset, unfitting, [...entries.keys()], nameOf, options.seed);
  if (options.prepare !== undefined) return prepare(options.prepare, stages, entries, options);
  if (options.collect !== undefined) await collect(options.collect, stages, nameOf);
  const ways = await readLines(join(RECORDED, 'ways.jsonl'), wayRow);
  const rows = await readLines(join(RECORDED, 'choices.jsonl'), choiceRow);
  const figures = figuresOf(ways, rows, stages, dataset);
  await publish(
    {
      name: 'choices',
      title: 'What a model chooses: the list of a host, and a search',
      figures: tableOf(figures),
      conditions: `Requests of *agent*, each over a catalog that holds one of its best skills, and the ${unfitting.queries.length} of style "${UNFITTING_STYLE}" of *dev-2*, whose judged skills stand in no catalog. In % of the choices: "right" a best skill, "useful" any that was judged relevant, "wrong" another, "none", "invented" a name that was not shown; "false" a skill loaded where none fits. Tokens: before the first word, and of the query and its answer (median). A window of ${WINDOW_TOKENS.toLocaleString('en-US')} tokens holds no uncut list of all. Recorded choices: datasets/choices/CARD.md. Seed ${options.seed}.`,
    },
    options.write,
  );
}

async function unfittingOf({ unfitting }: ChoicesOptions): Promise<Dataset> {
  const dataset = await readDatasetFolder(unfitting);
  const queries = dataset.queries.filter(({ style }) => style === UNFITTING_STYLE);
  const judged = new Set(queries.map(({ id }) => id));
  return { ...dataset, queries, qrels: new Map([...dataset.qrels].filter(([id]) => judged.has(id))) };
}

async function prepare(
  folder: string,
  stages: readonly Stage[],
  entries: ReadonlyMap<string, ListedSkill>,
  { dataset, skills, program, seed }: ChoicesOptions,
): Promise<void> {
  const requests = new Map(
    (await jsonLines(join(dataset, 'queries.jsonl'))).map((line) => {
      const { _id, request } = z.object({ _id: z.string(), request: z.string() }).parse(line);
      return [_id, request];
    }),
  );
  const written = new Map(
    (await jsonLines(join(RECORDED, 'queries.jsonl'))).map((line) => {
      const { _id, text } = z.object({ _id: z.string(), text: z.string() }).parse(line);
      return [_id, text];
    }),
  );
  const requestOf = ({ id, text }: Query) => requests.get(id) ?? text;
  const askedFor = (query: Query): Asked => ({
    ...query,
    request: requestOf(query),
    text: written.get(query.id) ?? query.text,
  });
  const all: Presented[] = [];
  for (const stage of stages) {
    all.push(...listsOf(stage, entries, requestOf, seed));
    const root = join(folder, 'catalogs', `${stage.size}-${stage.part}`);
    await plant(root, stage.skills, skills[0]!, entries.keys());
    const over = ['--skills', root, '--index', `${root}.index`];
    await promisify(execFile)(process.execPath, [program, 'index', ...over], { maxBuffer: 64 * 2 ** 20 });
    all.push(await searchPrompt(stage, [program, 'serve', ...over], askedFor, seed));
    process.stderr.write(`${stage.size} skills, catalog ${stage.part + 1}\n`);
  }
  const names = await writePrompts(folder, all);
  const ways = all.map(({ way, size, part, before, search }): Way => ({ way, size, part, before, search }));
  await writeFile(join(folder, 'ways.jsonl'), linesOf(ways));
  process.stdout.write(`${names.length} prompts in ${join(folder, 'prompts')}\n`);
}

function listsOf(
  stage: Stage,
  entries: ReadonlyMap<string, ListedSkill>,
  requestOf: (query: Query) => string,
  seed: number,
): Presented[] {
  const catalog = stage.skills.map((id) => entries.get(id)!);
  return LISTS.flatMap(({ id, listing }) => {
    const { tokens, omitted, withoutDescription, shortenedTo } = computeListing(catalog, listing);
    if (tokens > WINDOW_TOKENS) return [];
    const [absent, bare] = [new Set(omitted), new Set(withoutDescription)];
    const most = Math.min(
      listing.mostDescription ?? Number.POSITIVE_INFINITY,
      shortenedTo ?? Number.POSITIVE_INFINITY,
    );
    const listed = catalog
      .filter(({ name }) => !absent.has(name))
      .sort((a, b) => (a.name < b.name ? -1 : 1))
      .map(({ name, description }) => ({
        name,
        description: bare.has(name) ? '' : description.slice(0, most),
      }));
    return [listPrompt(id, stage, listed, tokens, requestOf, seed)];
  });
}

/** Copies the skills to where they stand below `source`; those inside of them only where they are of the catalog too. */
async function plant(root: string, skills: readonly string[], source: string, all: Iterable<string>) {
  await rm(root, { recursive: true, force: true });
  const wanted = new Set(skills);
  const unwanted = new Set([...all].filter((id) => !wanted.has(id)).map((id) => join(source, id)));
  for (const id of skills)
    await cp(join(source, id), join(root, id), { recursive: true, filter: (path) => !unwanted.has(path) });
}

const answerRow = z.object({
  _id: z.string(),
  load: z.string().optional(),
  search: z.string().optional(),
  none: z.boolean().optional(),
});

/**
 * Reads `DIR/answers/RUN/PROMPT.jsonl`, the model's replies to `DIR/prompts/PROMPT.txt`, and replaces the recorded choices. A
 * name that its prompt does not show is kept as one of no skill.
 */
async function collect(folder: string, stages: readonly Stage[], nameOf: (id: string) => string) {
  const rows: ChoiceRow[] = [];
  const known = z
    .record(z.string(), z.record(z.string(), z.string()))
    .parse(JSON.parse(await readFile(join(folder, 'ids.json'), 'utf8')));
  for (const run of (await readdir(join(folder, 'answers'))).sort())
    for (const file of (await readdir(join(folder, 'answers', run))).sort()) {
      const [, name, way = '', size, part] = /^((.+)-(\d+)-(\d+)-\d+)\.jsonl$/.exec(file) ?? [];
      const stage = stages.find((one) => one.size === Number(size) && one.part === Number(part));
      const ids = known[name ?? ''];
      if (stage === undefined || ids === undefined)
        throw new Error(`${file} answers no prompt of these catalogs.`);
      const shown = namesIn(await readFile(join(folder, 'prompts', `${name}.txt`), 'utf8'));
      const bear = (name: string) =>
        stage.skills.filter((id) =>
          way === 'skillgate' ? `/${id}`.endsWith(`/${name}`) : nameOf(id) === name,
        );
      for (const line of await jsonLines(join(folder, 'answers', run, file))) {
        const { _id: asked, load, search } = answerRow.parse(line);
        const _id = ids[asked];
        if (_id === undefined) throw new Error(`${file} has ${asked}, which its prompt does not ask.`);
        rows.push({
          way,
          size: stage.size,
          part: stage.part,
          run: Number(run),
          _id,
          ...(load !== undefined && { ids: shown.has(load) ? bear(load) : [] }),
          ...(search !== undefined && { search }),
        });
      }
    }
  await writeFile(join(RECORDED, 'choices.jsonl'), linesOf(rows));
  await copyFile(join(folder, 'ways.jsonl'), join(RECORDED, 'ways.jsonl'));
}

/** What a prompt can be answered with: names of its list, or ids of its answers. */
export function namesIn(prompt: string): ReadonlySet<string> {
  const names = new Set<string>();
  for (const line of prompt.split('\n')) {
    const also = /^also: (.+)$/.exec(line)?.[1];
    if (also !== undefined) for (const id of also.split(', ')) names.add(id);
    const item = /^- (.+)$/.exec(line)?.[1];
    if (item === undefined) continue;
    names.add(item.split(': ')[0]!);
    names.add(item.split(' ')[0]!);
  }
  return names;
}

const linesOf = (all: readonly object[]) => all.map((each) => `${JSON.stringify(each)}\n`).join('');

export function figuresOf(
  ways: readonly Way[],
  rows: readonly ChoiceRow[],
  stages: readonly Stage[],
  dataset: Pick<Dataset, 'qrels'>,
): ChoiceFigures[] {
  const figures: ChoiceFigures[] = [];
  for (const size of new Set(stages.map((stage) => stage.size)))
    for (const way of new Set(ways.map((one) => one.way))) {
      const mine = rows.filter((row) => row.way === way && row.size === size);
      const costs = ways.filter((one) => one.way === way && one.size === size);
      if (mine.length === 0 || costs.length === 0) continue;
      const kinds = { right: 0, useful: 0, wrong: 0, none: 0, invented: 0 };
      const strangers = { asked: 0, loaded: 0 };
      for (const row of mine) {
        const stage = stages.find((one) => one.size === size && one.part === row.part)!;
        if (stage.fitting.some(({ id }) => id === row._id)) kinds[kindOf(row, dataset)] += 1;
        else {
          strangers.asked += 1;
          if (row.ids !== undefined) strangers.loaded += 1;
        }
      }
      const choices = mine.length - strangers.asked;
      figures.push({
        size,
        way,
        runs: new Set(mine.map(({ run }) => run)).size,
        choices,
        right: kinds.right / choices,
        useful: (kinds.right + kinds.useful) / choices,
        wrong: kinds.wrong / choices,
        none: kinds.none / choices,
        invented: kinds.invented / choices,
        loadedFalsely: strangers.loaded / strangers.asked,
        before: Math.max(...costs.map(({ before }) => before)),
        search: Math.max(...costs.map(({ search }) => search)),
      });
    }
  return figures;
}

/** A name that several skills bear is as good as the best of them. A second search counts as none. */
function kindOf({ _id, ids }: ChoiceRow, dataset: Pick<Dataset, 'qrels'>) {
  if (ids === undefined) return 'none';
  if (ids.length === 0) return 'invented';
  const right = best(dataset, _id);
  if (ids.some((id) => right.has(id))) return 'right';
  const useful = relevant(dataset.qrels.get(_id) ?? new Map());
  return ids.some((id) => useful.has(id)) ? 'useful' : 'wrong';
}

const tableOf = (figures: readonly ChoiceFigures[]) =>
  columns(
    [
      [
        'skills',
        'way',
        'right',
        'useful',
        'wrong',
        'none',
        'invented',
        'false',
        'tokens before',
        'to search',
      ],
      ...figures.map((one) => [
        String(one.size),
        one.way,
        ...[one.right, one.useful, one.wrong, one.none, one.invented, one.loadedFalsely].map(percent),
        one.before.toLocaleString('en-US'),
        String(one.search),
      ]),
    ],
    [1],
  );
