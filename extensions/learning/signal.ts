/**
 * How well a query fits what each skill was asked for. What the ranking makes of it is decided in `search/`.
 *
 * What others than the user of this machine taught counts from several principals on: the value is that of the n-th best of
 * them, so fewer than n have no effect at all, whatever they load.
 */

import type { Embedder, Reader, SearchedQuery } from '../../src/app/extension-api.ts';
import { type Request, weighUse } from './history.ts';
import { LOCAL_USER } from './lines.ts';
import { RequestTable } from './request-table.ts';
import type { Store } from './store.ts';

/** Weights change by the day, so that the pages of one search agree. */
const DAY = 86_400;

export interface SignalOptions {
  readonly store: Pick<Store, 'history' | 'now' | 'refresh'>;
  readonly embedder: Embedder | null;
  /** Principals, other than the user of this machine, who must have taught the same. From 1. */
  readonly minPrincipals: number;
}

export class Signal {
  readonly #options: SignalOptions;
  #table: RequestTable | null = null;

  constructor(options: SignalOptions) {
    this.#options = options;
  }

  /**
   * For each document, from 0 (`Float32Array[ordinals.length]`): how similar the query is to what it was loaded for (see
   * `RequestTable.similarities`), times how much that still counts. Null if none of them has a history. Depends on nothing
   * but these documents.
   */
  async of(
    { words, vector }: SearchedQuery,
    reader: Reader,
    ordinals: Uint32Array,
  ): Promise<Float32Array | null> {
    const { store, embedder, minPrincipals } = this.#options;
    store.refresh();
    const { history } = store;
    if (history.size === 0) return null;
    // Plain loops: this runs in every search.
    const asked: { readonly at: number; readonly requests: readonly Request[] }[] = [];
    const rows: number[] = [];
    for (let at = 0; at < ordinals.length; at += 1) {
      const skill = history.skills.get(reader.key(ordinals[at]!));
      if (skill === undefined) continue;
      const requests = [...skill.values()];
      asked.push({ at, requests });
      for (const { row } of requests) rows.push(row);
    }
    if (asked.length === 0) return null;
    // Another search may meet another history while this one waits, so each keeps its own table.
    const table = this.#table?.isOf(history) === true ? this.#table : new RequestTable(history, embedder);
    this.#table = table;
    await table.update();
    const similarities = table.similarities(words, vector, Uint32Array.from(rows));
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
        for (const use of uses.values()) evidence.add(use.who, similarity * weighUse(use, today, isThere));
      }
      values[at] = evidence.value(minPrincipals);
    }
    return values;
  }
}

/** What several principals say together of one skill and one query. */
class Evidence {
  /** The strongest words for and against, by principal. */
  readonly #by = new Map<string, { best: number; worst: number }>();

  /** `value` is −1 to 1. */
  add(who: string, value: number): void {
    const own = this.#by.get(who);
    if (own === undefined) this.#by.set(who, { best: Math.max(0, value), worst: Math.min(0, value) });
    else {
      own.best = Math.max(own.best, value);
      own.worst = Math.min(own.worst, value);
    }
  }

  /**
   * From 0: what the user of this machine says, or what the `least`-th most convinced of the others says, whichever is more.
   * A principal's words against the skill only cancel their own words for it, so no one can push a skill down.
   */
  value(least: number): number {
    let own = 0;
    const others: number[] = [];
    for (const [who, { best, worst }] of this.#by) {
      const net = Math.max(0, best + worst);
      if (who === LOCAL_USER) own = net;
      else others.push(net);
    }
    others.sort((a, b) => b - a);
    return Math.max(own, others[least - 1] ?? 0);
  }
}
