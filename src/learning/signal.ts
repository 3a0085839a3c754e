/**
 * How well a query fits what each skill was asked for. What the ranking makes of it is decided in `search/`.
 *
 * What others than the user of this machine taught counts from several principals on: the value is that of the n-th best of
 * them, so fewer than n have no effect at all, whatever they load.
 */

import type { Embedder, LexicalQuery, Reader } from '#index';
import { Evidence } from './evidence.ts';
import type { History, Request, SkillHistory } from './history.ts';
import { RequestTable } from './request-table.ts';
import type { LearnedStore } from './store.ts';

/** Weights change by the day, so that the pages of one search agree. */
const DAY = 86_400;

/** A query as the index prepared it; `vector` is null where words alone are searched. */
interface AskedQuery {
  readonly words: LexicalQuery;
  readonly vector: Float32Array | null;
}

export interface SignalOptions {
  readonly store: Pick<LearnedStore, 'history' | 'now' | 'refresh'>;
  readonly embedder: Embedder | null;
  /** Principals, besides the user of this machine, who must have taught the same. From 1. */
  readonly minPrincipals: number;
}

/** The documents of one reader that have a history. */
interface KnownDocuments {
  readonly history: History;
  readonly version: number;
  readonly histories: ReadonlyMap<number, SkillHistory>;
}

export class LearnedSignal {
  readonly #options: SignalOptions;
  #table: RequestTable | null = null;
  readonly #known = new WeakMap<Reader, KnownDocuments>();

  constructor(options: SignalOptions) {
    this.#options = options;
  }

  /**
   * For each document, from 0 (`Float32Array[ordinals.length]`): how similar the query is to what it was loaded for (see
   * `RequestTable.similarities`), times how much that still counts. Null if none of them has a history. Depends on nothing but these documents.
   */
  async of(
    { words, vector }: AskedQuery,
    reader: Reader,
    ordinals: Uint32Array,
  ): Promise<Float32Array | null> {
    const { store, embedder, minPrincipals } = this.#options;
    store.refresh();
    const { history } = store;
    if (history.size === 0) return null;
    const known = this.#knownIn(reader, history);
    // Plain loops: this runs in every search.
    const asked: { readonly at: number; readonly requests: readonly Request[] }[] = [];
    const rows: number[] = [];
    for (let at = 0; at < ordinals.length; at += 1) {
      const skill = known.histories.get(ordinals[at]!);
      if (skill === undefined) continue;
      const requests = [...skill.requests.values()];
      asked.push({ at, requests });
      for (const { row } of requests) rows.push(row);
    }
    if (asked.length === 0) return null;
    if (this.#table?.isOf(history) !== true) this.#table = new RequestTable(history, embedder);
    if (this.#table.rows < history.requests.length) await this.#table.update();
    const similarities = this.#table.similarities(words, vector, Uint32Array.from(rows));
    const today = DAY * Math.floor(store.now / DAY);
    const isThere = (id: string) => reader.ordinalOf(id) !== null;
    const values = new Float32Array(ordinals.length);
    let next = 0;
    for (const { at, requests } of asked) {
      const evidence = new Evidence();
      for (const { uses } of requests) {
        const similarity = similarities[next]!;
        next += 1;
        if (similarity === 0) continue;
        for (const use of uses.values())
          evidence.add(use.who, similarity * history.weightOf(use, today, isThere));
      }
      values[at] = evidence.value(minPrincipals);
    }
    return values;
  }

  #knownIn(reader: Reader, history: History): KnownDocuments {
    const known = this.#known.get(reader);
    if (known?.history === history && known.version === history.version) return known;
    const histories = new Map<number, SkillHistory>();
    for (const skill of history.skills.values())
      for (const ordinal of reader.resolve(skill.id))
        if (reader.key(ordinal) === skill.id) histories.set(ordinal, skill);
    const made = { history, version: history.version, histories };
    this.#known.set(reader, made);
    return made;
  }
}
