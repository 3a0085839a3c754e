/**
 * `npm run bench -- requests`: what do requests that skills carry find, and whom do they harm? For skills with several prompts by
 * their author half is indexed and the other half asked; of the written sets some styles are indexed and another asked; of
 * *agent* the query that a model wrote is indexed and the person's words are asked; of 201 skills what a model wrote from their cards
 * alone is indexed, and people's words of *dev* and *dev-2* are asked. The same searches are made with and without.
 */

import { join } from 'node:path';
import * as z from 'zod';
import type { Embedder } from '../index/embedder.ts';
import type { Reader } from '../index/reader/reader.ts';
import { openEmbedder } from '../src/search/embedding/open.ts';
import type { Learning } from '../src/search/learned.ts';
import { WRITTEN } from '../src/search/ranking.ts';
import { search } from '../src/search/search.ts';
import { bestDocuments, readDatasetFolder } from './evaluation/dataset-folder.ts';
import { mean } from './evaluation/statistics.ts';
import { columns, percent } from './evaluation/table.ts';
import { readLines } from './json-lines.ts';
import { openIndex } from './open-index.ts';
import { here, MODELS } from './paths.ts';
import { progressBar } from './progress.ts';
import { publish } from './results-file.ts';

interface RequestsOptions {
  /** Of skills without requests. */
  readonly index: string;
  /** Folder of the datasets: train, agent, dev, dev-2, skill-evals. */
  readonly data: string;
  /** Only rows whose name holds this text. */
  readonly only?: string;
  /** The command line for `RESULTS.md`; absent: print only. */
  readonly write?: string;
}

export interface Asked {
  readonly text: string;
  readonly best: ReadonlySet<string>;
}

/** What is indexed, by skill. */
export type Carried = Map<string, string[]>;

const trained = z.object({ skill: z.string(), style: z.string(), query: z.string() });
const written = z.object({ skill: z.string(), requests: z.array(z.string()) });
const FROM_CARDS = here('datasets/requests-from-cards/requests.jsonl');
const rewritten = z.object({ _id: z.string(), text: z.string(), request: z.string(), style: z.string() });

/** Styles that are indexed and the one that is asked. */
const STYLES = [
  { file: 'queries.jsonl', indexed: ['agent', 'problem'], asked: 'user' },
  { file: 'queries-b.jsonl', indexed: ['task', 'detail'], asked: 'problem' },
] as const;

/** As the index cuts them (`src/search/passages/requests.ts`, which is inside of its room). */
const MAX_REQUESTS = 16;
const MAX_CHARACTERS = 400;

export async function measureRequests(options: RequestsOptions): Promise<void> {
  const embedder = await openEmbedder(undefined, { modelsFolder: MODELS });
  const reader = openIndex(options.index, embedder);
  await reader.openVectors();
  const rows = await readRows(options.data);
  const chosen = rows.filter(([name]) => options.only === undefined || name.includes(options.only));
  const figures = await table(chosen, reader, embedder);
  reader.close();
  await publish(
    {
      name: options.only === undefined ? 'requests' : `requests-${options.only}`,
      title:
        options.only === undefined
          ? 'Requests that skills carry'
          : `Requests that skills carry: ${options.only}`,
      figures: `${(chosen[0]?.[2].size ?? 0).toLocaleString('en-US')} skills carry requests, in per cent\n\n${figures}`,
      conditions:
        'The shipped model was trained on the queries of `train`, not on the others. The share of what a request counts (`WRITTEN`, 0.9) was chosen on these sets (`bench/TRIED.md`), so the gains are not of unseen requests; the rule and its other constants are those of learning.',
    },
    options.write,
  );
}

/** What is asked, and which requests which skills carry meanwhile; by name. */
export async function readRows(data: string) {
  const carried: Carried = new Map();
  const rows: [name: string, asked: readonly Asked[], carried: Carried][] = [];
  rows.push(['skill-evals: half of the prompts', await halves(data, carried), carried]);
  for (const style of STYLES)
    rows.push([
      `train: ${style.indexed.join(', ')} → ${style.asked}`,
      await styles(data, style, carried),
      carried,
    ]);
  // The others stay, so that the skills compete with others that carry requests.
  const sameNeed: Carried = new Map(Array.from(carried, ([skill, texts]) => [skill, [...texts]]));
  for (const [style, asked] of await rewordings(data, sameNeed))
    rows.push([`agent: its query → the ${style}'s words`, asked, sameNeed]);
  for (const name of ['agent', 'dev', 'dev-2']) {
    const set = await readDatasetFolder(join(data, name));
    const asked = set.queries.map(({ id, text }) => ({ text, best: bestDocuments(set, id) }));
    // Theirs carry nothing: what is measured is whom the others displace.
    const best = new Set(asked.flatMap((one) => [...one.best]));
    const others: Carried = new Map([...carried].filter(([skill]) => !best.has(skill)));
    rows.push([`${name}, without requests`, asked.filter((one) => one.best.size > 0), others]);
  }
  const fromCards: Carried = new Map(
    (await readLines(FROM_CARDS, written)).map(({ skill, requests }) => [skill, [...requests]]),
  );
  rows.push(["cards: a model's requests → the user's words", await peoplesWords(data, fromCards), fromCards]);
  return rows;
}

async function table(
  rows: readonly (readonly [string, readonly Asked[], Carried])[],
  reader: Reader,
  embedder: Embedder,
): Promise<string> {
  const show = progressBar();
  const lines = [['indexed → asked', 'requests', 'Hit@1', 'with', 'gain', 'Hit@5', 'with', 'gain']];
  for (const [name, asked, carried] of rows) {
    const learned = await carriedSignal(carried, embedder);
    const [plain, more]: (readonly string[])[][] = [[], []];
    for (const [done, { text }] of asked.entries()) {
      show('requests', done, asked.length);
      const index = { reader, embedder, now: () => 0 };
      plain!.push(await ranking(text, index));
      more!.push(await ranking(text, { ...index, learned }));
    }
    show('requests', asked.length, asked.length);
    const share = (rankings: readonly (readonly string[])[], depth: number) =>
      mean(rankings.map((ids, at) => (ids.slice(0, depth).some((id) => asked[at]!.best.has(id)) ? 1 : 0)));
    const pair = (depth: number) => {
      const [before, after] = [share(plain!, depth), share(more!, depth)];
      const gain = 100 * (after - before);
      return [percent(before), percent(after), `${gain < 0 ? '−' : '+'}${Math.abs(gain).toFixed(1)}`];
    };
    lines.push([name, String(asked.length), ...pair(1), ...pair(5)]);
  }
  return columns(lines);
}

/** Requests as if they were in the index, so that both rankings use one index: no other part of it depends on them. */
export async function carriedSignal(carried: Carried, embedder: Embedder): Promise<Pick<Learning, 'of'>> {
  const cosines = await carriedCosines(carried, embedder);
  return {
    of: async ({ vector }, reader, ordinals) =>
      cosines(vector, reader, ordinals).map((cosine) => WRITTEN * cosine),
  };
}

/**
 * Highest cosine of the query with a request of each document, at least 0: `Float32Array[ordinals]`. The vectors are not rounded to
 * eight bits.
 */
export async function carriedCosines(carried: Carried, embedder: Embedder) {
  const vectors = new Map<string, Float32Array>();
  for (const [skill, texts] of carried)
    vectors.set(
      skill,
      await embedder.embedPassages(texts.slice(0, MAX_REQUESTS).map((text) => text.slice(0, MAX_CHARACTERS))),
    );
  const { dimensions } = embedder;
  return (vector: Float32Array | null, reader: Reader, ordinals: Uint32Array) =>
    Float32Array.from(ordinals, (ordinal) => {
      const own = vectors.get(reader.key(ordinal));
      let best = 0;
      if (own === undefined || vector === null) return best;
      for (let row = 0; row < own.length; row += dimensions) {
        let dot = 0;
        for (let at = 0; at < dimensions; at += 1) dot += vector[at]! * own[row + at]!;
        best = Math.max(best, dot);
      }
      return best;
    });
}

/** Every second prompt of the skills that have several; the others go to `carried`. */
async function halves(data: string, carried: Carried): Promise<Asked[]> {
  const set = await readDatasetFolder(join(data, 'skill-evals'));
  const groups = new Map<string, { readonly best: ReadonlySet<string>; readonly texts: string[] }>();
  for (const { id, text, namesSkill } of set.queries) {
    const best = bestDocuments(set, id);
    if (namesSkill === true || best.size === 0) continue;
    const key = [...best].sort().join('\n');
    const group = groups.get(key) ?? { best, texts: [] };
    groups.set(key, group);
    group.texts.push(text);
  }
  return [...groups.values()].flatMap(({ best, texts }) => {
    if (texts.length < 2) return [];
    for (const skill of best)
      for (const text of texts.filter((_, at) => at % 2 === 0)) carry(carried, skill, text);
    return texts.filter((_, at) => at % 2 === 1).map((text) => ({ text, best }));
  });
}

async function styles(
  data: string,
  { file, indexed, asked }: (typeof STYLES)[number],
  carried: Carried,
): Promise<Asked[]> {
  const all = await readLines(join(data, 'train', file), trained);
  for (const { skill, style, query } of all)
    if ((indexed as readonly string[]).includes(style)) carry(carried, skill, query);
  return all
    .filter(({ style }) => style === asked)
    .map(({ skill, query }) => ({ text: query, best: new Set([skill]) }));
}

/** Requests in people's words that one of the skills answers best. */
async function peoplesWords(data: string, skills: Carried): Promise<Asked[]> {
  const sets = await Promise.all(['dev', 'dev-2'].map((name) => readDatasetFolder(join(data, name))));
  return sets.flatMap((set) =>
    set.queries.flatMap(({ id, text, style }) => {
      const best = bestDocuments(set, id);
      return style === 'user' && [...best].some((skill) => skills.has(skill)) ? [{ text, best }] : [];
    }),
  );
}

/** The model's query goes to the best skill of each request, the person's words are asked; by style. */
async function rewordings(data: string, carried: Carried): Promise<Map<string, Asked[]>> {
  const set = await readDatasetFolder(join(data, 'agent'));
  const asked = new Map<string, Asked[]>();
  for (const { _id, text, request, style } of await readLines(
    join(data, 'agent', 'queries.jsonl'),
    rewritten,
  )) {
    const best = bestDocuments(set, _id);
    const [skill] = best;
    if (skill === undefined) continue;
    carry(carried, skill, text);
    asked.set(style, [...(asked.get(style) ?? []), { text: request, best }]);
  }
  return asked;
}

const carry = (carried: Carried, skill: string, text: string) =>
  carried.set(skill, [...(carried.get(skill) ?? []), text]);

async function ranking(text: string, index: Parameters<typeof search>[1]): Promise<readonly string[]> {
  const { hits } = await search({ query: text, limit: 5, excerpts: false, foldTwins: false }, index);
  return hits.map(({ entry }) => entry.id);
}
