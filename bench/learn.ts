/**
 * `npm run bench -- learn`: does search that learns from use find more, and whom does it harm? Requests of one style are the
 * history: each is a search that ended with a load of its skill. Then other requests are asked, with and without it.
 */

import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as z from 'zod';
import { openLearning } from '../extensions/learning/extension.ts';
import { History } from '../extensions/learning/history.ts';
import { Signal } from '../extensions/learning/signal.ts';
import type { Embedder } from '../index/embedder.ts';
import type { Reader } from '../index/reader/reader.ts';
import { openEmbedder } from '../src/search/embedding/open.ts';
import { search } from '../src/search/search.ts';
import { bestDocuments, readDatasetFolder } from './evaluation/dataset-folder.ts';
import { mean, quantile, seeded, shuffled } from './evaluation/statistics.ts';
import { columns, percent } from './evaluation/table.ts';
import { readLines } from './json-lines.ts';
import { openIndex } from './open-index.ts';
import { MODELS } from './paths.ts';
import { progressBar } from './progress.ts';
import { publish } from './results-file.ts';

interface LearnOptions {
  readonly index: string;
  /** Folder of the datasets: train, agent, dev, dev-2, skill-evals. */
  readonly data: string;
  readonly queries: number;
  readonly seed: number;
  /** The command line for `RESULTS.md`; absent: print only. */
  readonly write?: string;
}

/** A request and the skills that answer it best. */
interface Asked {
  readonly text: string;
  readonly style: string;
  readonly best: ReadonlySet<string>;
}

interface Taught {
  readonly skill: string;
  readonly request: string;
  readonly who: string;
}

const NOW = 1_790_000_000;
const SEARCHES_TIMED = 200;
/** Each search is timed this often, with and without. */
const TIMES = 7;
const LOADS_TIMED = 200;
const DEEPEST = 50;

const trained = z.object({ skill: z.string(), style: z.string(), query: z.string() });
const rewritten = z.object({ _id: z.string(), text: z.string(), request: z.string(), style: z.string() });

export async function measureLearning(options: LearnOptions): Promise<void> {
  const embedder = await openEmbedder(undefined, { modelsFolder: MODELS });
  const reader = openIndex(options.index, embedder);
  await reader.openVectors();
  const bench = new LearningBench(reader, embedder, options);
  const figures = [
    await bench.sameNeed(),
    await bench.otherStyles(),
    await bench.moreRequests(),
    await bench.withoutHistory(),
    await bench.poisoner(),
    await bench.cost(),
  ].join('\n');
  reader.close();
  await publish(
    {
      name: 'learn',
      title: 'Learning from use',
      figures,
      conditions: `Seed ${options.seed}; ${options.queries} requests of each style. The shipped model was trained on the queries of \`train\`, not on the others.`,
    },
    options.write,
  );
}

class LearningBench {
  readonly #reader: Reader;
  readonly #embedder: Embedder;
  readonly #options: LearnOptions;
  readonly #show = progressBar();
  readonly #plain = new Map<string, readonly string[]>();

  constructor(reader: Reader, embedder: Embedder, options: LearnOptions) {
    this.#reader = reader;
    this.#embedder = embedder;
    this.#options = options;
  }

  /** The query that an agent wrote was remembered; the person's own words for the same need are asked. Not trained on. */
  async sameNeed(): Promise<string> {
    const { data } = this.#options;
    const agent = await readDatasetFolder(join(data, 'agent'));
    const others = await this.#trainHistory();
    const [history, asked]: [Taught[], Asked[]] = [[...others], []];
    for (const { _id, text, request, style } of await readLines(
      join(data, 'agent', 'queries.jsonl'),
      rewritten,
    )) {
      const best = bestDocuments(agent, _id);
      const [skill] = best;
      if (skill === undefined) continue;
      history.push({ skill, request: text, who: 'local' });
      asked.push({ text: request, style, best });
    }
    return this.#table(
      `The query that an agent wrote is remembered, the words of the person who asked it are asked; ${count(others.length)} requests of other skills are remembered too`,
      [['1 request', asked, history]],
    );
  }

  async otherStyles(): Promise<string> {
    const history = await this.#trainHistory();
    const asked = this.#drawn(
      (await readLines(join(this.#options.data, 'train', 'queries.jsonl'), trained)).filter(
        ({ style }) => style !== 'agent',
      ),
    );
    return this.#table(
      `One request of each of ${count(history.length)} skills is remembered (styles agent and task), other styles are asked`,
      [['1 request', asked, history]],
    );
  }

  /** Prompts of skills with many prompts by the same authors: those that are not asked are the history. */
  async moreRequests(): Promise<string> {
    const set = await readDatasetFolder(join(this.#options.data, 'skill-evals'));
    const bySkill = new Map<string, string[]>();
    for (const { id, text } of set.queries)
      for (const skill of bestDocuments(set, id)) bySkill.set(skill, [...(bySkill.get(skill) ?? []), text]);
    const others = await this.#trainHistory();
    const many = [...bySkill].filter(([, texts]) => texts.length >= 8);
    const rows: [string, Asked[], Taught[]][] = [1, 3, 7].map((size) => {
      const asked = many.map(([skill, texts]) => ({
        text: texts.at(-1)!,
        style: 'last of 8',
        best: new Set([skill]),
      }));
      const history = many.flatMap(([skill, texts]) =>
        texts.slice(0, size).map((request) => ({ skill, request, who: 'local' })),
      );
      return [size === 1 ? '1 request' : `${size} requests`, asked, [...others, ...history]];
    });
    return this.#table(
      `Prompts that authors ship with a skill: some are remembered, another one is asked (they are different tasks)`,
      rows,
    );
  }

  /** Needs whose skills have no history of their own, while others have. */
  async withoutHistory(): Promise<string> {
    const history = await this.#trainHistory();
    const rows: [string, Asked[], Taught[]][] = [];
    for (const name of ['agent', 'dev-2', 'skill-evals']) {
      const set = await readDatasetFolder(join(this.#options.data, name));
      const asked = set.queries
        .map(({ id, text }) => ({ text, style: 'all', best: bestDocuments(set, id) }))
        .filter(({ best }) => best.size > 0);
      rows.push([name, asked, history.filter(({ skill }) => !asked.some(({ best }) => best.has(skill)))]);
    }
    return this.#table('Needs without history, while other skills have some', rows);
  }

  /** A skill that does not answer a request is loaded for exactly that request by a number of hostile principals. */
  async poisoner(): Promise<string> {
    const set = await readDatasetFolder(join(this.#options.data, 'dev-2'));
    const random = seeded(this.#options.seed);
    const rows: string[][] = [
      ['loaded for the request by', 'in reach', 'first', 'in 5', 'mean rise', 'without: first', 'in 5'],
    ];
    const cases: { text: string; victim: string }[] = [];
    for (const { id, text } of set.queries) {
      const grades = set.qrels.get(id);
      const ranking = await this.#ranking(text, null);
      const wrong = ranking.slice(5).filter((skill) => (grades?.get(skill) ?? 0) === 0);
      if (wrong.length > 0) cases.push({ text, victim: wrong[Math.floor(random() * wrong.length)]! });
    }
    for (const principals of [1, 2, 3]) {
      const ranks: { before: number; after: number }[] = [];
      for (const { text, victim } of cases) {
        const history = Array.from({ length: principals }, (_, at) => ({
          skill: victim,
          request: text,
          who: `eve-${at}`,
        }));
        const [before, after] = [await this.#ranking(text, null), await this.#ranking(text, history)];
        ranks.push({ before: before.indexOf(victim) + 1, after: after.indexOf(victim) + 1 });
      }
      const share = (least: number, rank: 'before' | 'after') =>
        percent(mean(ranks.map((one) => (one[rank] > 0 && one[rank] <= least ? 1 : 0))));
      rows.push([
        principals === 1 ? '1 principal' : `${principals} principals`,
        String(ranks.length),
        share(1, 'after'),
        share(5, 'after'),
        mean(ranks.map(({ before, after }) => before - after)).toFixed(1),
        share(1, 'before'),
        share(5, 'before'),
      ]);
    }
    return `A hostile skill (a wrong one of ranks 6–${DEEPEST}) is loaded for exactly the request, 3 principals needed: how often it gets up, in per cent\n\n${columns(rows)}`;
  }

  async cost(): Promise<string> {
    const folder = await mkdtemp(join(tmpdir(), 'skillgate-learn-'));
    try {
      const learned = openLearning({
        folder,
        now: Date.now,
        log: () => {},
        embedder: this.#embedder,
        minPrincipals: 3,
      });
      const teach = async ({ skill, request, who }: Taught) => {
        learned.searched(who, { query: request, words: [], hits: [skill] });
        learned.loaded(who, skill);
        await learned.flush();
      };
      const uses = await this.#trainHistory();
      for (const use of uses) await teach(use);
      const texts = this.#drawn(
        await readLines(join(this.#options.data, 'train', 'queries.jsonl'), trained),
      ).map(({ text }) => text);
      const index = { reader: this.#reader, embedder: this.#embedder, now: () => performance.now() };
      const first = performance.now();
      await search({ query: texts[0]!, limit: 5 }, { ...index, learned });
      const warming = performance.now() - first;
      const plain: number[] = [];
      const more: number[] = [];
      for (const text of texts.slice(0, SEARCHES_TIMED)) {
        // The best of several times each, in turn: other work of the machine only adds.
        const [without, withLearning] = [index, { ...index, learned }].map((over) => ({
          over,
          ms: Number.POSITIVE_INFINITY,
        }));
        for (let time = 0; time < TIMES; time += 1)
          for (const timed of [without!, withLearning!]) {
            const start = performance.now();
            await search({ query: text, limit: 5 }, timed.over);
            timed.ms = Math.min(timed.ms, performance.now() - start);
          }
        plain.push(without!.ms);
        more.push(withLearning!.ms - without!.ms);
      }
      const loads: number[] = [];
      for (const use of uses.slice(0, LOADS_TIMED)) {
        const start = performance.now();
        await teach(use);
        loads.push(performance.now() - start);
      }
      const [plainly, added] = [quantile(plain, 0.5), quantile(more, 0.5)];
      return `Cost with ${count(uses.length)} remembered requests: a search takes ${plainly.toFixed(2)} ms and learning adds ${added.toFixed(3)} ms (${percent(added / plainly)} %; medians of the best of ${TIMES}); the first search ${warming.toFixed(0)} ms; remembering a load takes ${quantile(loads, 0.5).toFixed(1)} ms, after the answer.\n`;
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  async #table(
    title: string,
    rows: readonly (readonly [string, readonly Asked[], readonly Taught[]])[],
  ): Promise<string> {
    const table = [['history', 'style', 'requests', 'Hit@1', 'learned', 'gain', 'Hit@5', 'learned', 'gain']];
    for (const [name, asked, history] of rows) {
      const index = this.#indexOf(history);
      const hits = new Map<
        string,
        { plain: (readonly string[])[]; learned: (readonly string[])[]; best: ReadonlySet<string>[] }
      >();
      for (const [done, { text, style, best }] of asked.entries()) {
        this.#show('requests', done, asked.length);
        const own = hits.get(style) ?? { plain: [], learned: [], best: [] };
        own.plain.push(await this.#ranking(text, null));
        own.learned.push(await ranking(text, index));
        own.best.push(best);
        hits.set(style, own);
      }
      this.#show('requests', asked.length, asked.length);
      for (const [style, { plain, learned, best }] of hits) {
        const share = (rankings: readonly (readonly string[])[], depth: number) =>
          mean(rankings.map((ids, at) => (ids.slice(0, depth).some((id) => best[at]!.has(id)) ? 1 : 0)));
        const pair = (depth: number) => {
          const [before, after] = [share(plain, depth), share(learned, depth)];
          const gain = 100 * (after - before);
          return [percent(before), percent(after), `${gain < 0 ? '−' : '+'}${Math.abs(gain).toFixed(1)}`];
        };
        table.push([name, style, String(best.length), ...pair(1), ...pair(5)]);
      }
    }
    return `${title}, in per cent\n\n${columns(table)}`;
  }

  /** Ids, best first; of a search without learning only once per text. */
  async #ranking(text: string, history: readonly Taught[] | null): Promise<readonly string[]> {
    const known = history === null ? this.#plain.get(text) : undefined;
    if (known !== undefined) return known;
    const found = await ranking(text, this.#indexOf(history ?? []));
    if (history === null) this.#plain.set(text, found);
    return found;
  }

  #indexOf(history: readonly Taught[]) {
    const index = { reader: this.#reader, embedder: this.#embedder, now: () => 0 };
    if (history.length === 0) return index;
    const taught = new History();
    for (const { skill, request, who } of history)
      taught.set({ kind: 'use', skill, request, who, used: 1, left: [], at: NOW });
    const store = { history: taught, now: NOW, refresh: () => {} };
    return { ...index, learned: new Signal({ store, embedder: this.#embedder, minPrincipals: 3 }) };
  }

  /** One request each of the skills of both training sets. */
  async #trainHistory(): Promise<Taught[]> {
    const { data } = this.#options;
    const history: Taught[] = [];
    for (const [file, wanted] of [
      ['queries.jsonl', 'agent'],
      ['queries-b.jsonl', 'task'],
    ] as const) {
      const path = join(data, 'train', file);
      if (!existsSync(path)) continue;
      for (const { skill, style, query } of await readLines(path, trained))
        if (style === wanted) history.push({ skill, request: query, who: 'local' });
    }
    return history;
  }

  /** As many of each style as asked for. */
  #drawn(all: readonly z.infer<typeof trained>[]): Asked[] {
    const random = seeded(this.#options.seed);
    const styles = [...new Set(all.map(({ style }) => style))];
    return styles.flatMap((wanted) =>
      shuffled(
        all.filter(({ style }) => style === wanted),
        random,
      )
        .slice(0, this.#options.queries)
        .map(({ skill, style, query }) => ({ text: query, style, best: new Set([skill]) })),
    );
  }
}

async function ranking(text: string, index: Parameters<typeof search>[1]): Promise<readonly string[]> {
  const { hits } = await search({ query: text, limit: DEEPEST, foldTwins: false }, index);
  return hits.map(({ entry }) => entry.id);
}

const count = (number: number) => number.toLocaleString('en-US');
