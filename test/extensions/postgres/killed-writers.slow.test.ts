/**
 * Promise: every change is served everywhere, however often the gateway that writes is killed, and wherever. Three gateways in this
 * process over a store in memory; a kill ends one of them at an access to the store or to its index folder.
 */

import { rmSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { IndexStore, Lease } from '../../../extensions/postgres/index-store.ts';
import { isStoreError } from '../../../extensions/postgres/index-store.ts';
import { entriesOf, Publisher } from '../../../extensions/postgres/publish.ts';
import { pull } from '../../../extensions/postgres/pull.ts';
import type { Directory } from '../../../index/directory/directory.ts';
import { memoryDirectory } from '../../../index/directory/memory.ts';
import { inProcessWorker } from '../../../src/catalog/indexing/worker-pool.ts';
import { Library } from '../../../src/catalog/library.ts';
import { digestOf } from '../../../src/search/passages/document.ts';
import { localSource } from '../../../src/sources/local.ts';
import { readCatalog } from '../../../src/sources/scan/catalog.ts';
import { toyEmbedder } from '../../index/toy.ts';
import { skill } from '../../src/gateway/test-library.ts';
import { add, plant } from '../../src/sources/scan/tree.ts';
import { MemoryState, MemoryStore } from './memory-store.ts';

const LINE = 'line';
const TTL_MS = 2_000;
/** Longer than the time between two checks. */
const CHECK_MS = 1_500;
const GATEWAYS = 3;

class Killed extends Error {}

/** A process. What it does at its end may be done, and is not answered. */
class Life {
  /** Accesses that are left, or the operation before which it ends. */
  end: number | 'publish' = Number.POSITIVE_INFINITY;

  get isOver(): boolean {
    return this.end === 0;
  }

  /** Throws where the process has ended; true where it ends with this access. */
  access(operation: string): boolean {
    if (this.end === operation) this.end = 0;
    if (this.end === 0) throw new Killed();
    if (typeof this.end === 'number') this.end -= 1;
    return this.isOver;
  }

  store(inner: IndexStore): IndexStore {
    return new Proxy(inner, {
      get:
        (_, name: keyof IndexStore) =>
        async (...args: never[]) => {
          const ends = this.access(name);
          const answer = await (inner[name] as (...given: never[]) => unknown).apply(inner, args);
          if (ends) throw new Killed();
          return answer;
        },
    });
  }

  directory(inner: Directory): Directory {
    return {
      ...inner,
      remove: (name) => {
        this.access('remove');
        inner.remove(name);
      },
      create: (name) => {
        this.access('create');
        const sink = inner.create(name);
        const commit = sink.commit.bind(sink);
        return Object.assign(sink, {
          commit: () => {
            this.access('commit');
            commit();
          },
        });
      },
      // That of a killed process expires.
      lock: async () => async () => {},
    };
  }
}

interface Writing {
  readonly lease: Lease;
  readonly library: Library;
  readonly publisher: Publisher;
}

/** Its folders outlive its process. */
class Gateway {
  readonly copy = memoryDirectory();
  readonly #index = memoryDirectory();
  readonly #name: string;
  readonly #root: string;
  readonly #state: MemoryState;
  #life = new Life();
  #writing: Writing | null = null;

  constructor(name: string, root: string, state: MemoryState) {
    this.#name = name;
    this.#root = root;
    this.#state = state;
  }

  kill(end: Life['end']): void {
    this.#life.end = end;
  }

  notice(path: string): void {
    this.#writing?.library.notice([path]);
  }

  /** Follows, and writes where it is the writer: one round of `gateway/follower.ts` and `gateway/writer.ts`. */
  async tick(): Promise<void> {
    const store = this.#life.store(new MemoryStore(this.#state));
    try {
      await pull(store, LINE, this.copy);
      if (this.#writing !== null && !(await store.renew(this.#writing.lease, TTL_MS))) await this.#stop();
      this.#writing ??= await this.#start(store);
      await this.#writing?.library.current();
      await this.#writing?.publisher.publish(this.#writing.lease);
    } catch (error) {
      if (isStoreError(error, 'STORE_FENCED', 'STORE_CONFLICT')) await this.#stop();
      else if (!this.#life.isOver) throw error;
    }
    if (!this.#life.isOver) return;
    await this.#stop();
    this.#life = new Life();
  }

  async #start(store: IndexStore): Promise<Writing | null> {
    const lease = await store.acquire(LINE, this.#name, TTL_MS);
    if (lease === null) return null;
    const directory = this.#life.directory(this.#index);
    const pulled = await pull(store, LINE, directory, this.copy);
    const embedder = toyEmbedder();
    const library = new Library({
      sources: [localSource({ name: 'all', root: this.#root })],
      embedder,
      vectors: 'auto',
      workers: inProcessWorker(directory, embedder),
      now: this.#state.now,
      log: () => {},
      patienceMs: Number.POSITIVE_INFINITY,
      directory,
    });
    const filesOf: Library['filesOf'] = (entry) => library.filesOf(entry);
    return { lease, library, publisher: new Publisher({ store, directory, filesOf, pulled }) };
  }

  async #stop(): Promise<void> {
    await this.#writing?.library.close();
    this.#writing = null;
  }
}

type Happening =
  | { readonly kind: 'change' | 'remove'; readonly name: string; readonly isNoticed: boolean }
  | { readonly kind: 'kill'; readonly gateway: number; readonly end: number | 'publish' }
  | { readonly kind: 'tick'; readonly gateway: number; readonly ms: number };

const gateway = fc.nat(GATEWAYS - 1);
const edit = { name: fc.constantFrom('tea', 'ink', 'oak'), isNoticed: fc.boolean() };
const happening: fc.Arbitrary<Happening> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('change' as const), ...edit }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('remove' as const), ...edit }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('kill' as const),
      gateway,
      end: fc.oneof(fc.integer({ min: 1, max: 40 }), fc.constant('publish' as const)),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('tick' as const),
      gateway,
      ms: fc.constantFrom(0, 500, CHECK_MS, TTL_MS + 1),
    }),
  },
);

const tick = (at: number, ms: number): Happening => ({ kind: 'tick', gateway: at, ms });
const change = (name: string): Happening => ({ kind: 'change', name, isNoticed: false });
const remove = (name: string): Happening => ({ kind: 'remove', name, isNoticed: false });

/** Two writers commit generations of one number: the first one never publishes its own, and later continues that of the other. */
const SAME_NUMBER: Happening[] = [
  change('oak'),
  tick(0, 0),
  remove('oak'),
  { kind: 'kill', gateway: 0, end: 'publish' },
  tick(0, CHECK_MS),
  change('ink'),
  tick(1, TTL_MS + 1),
  remove('ink'),
  tick(0, TTL_MS + 1),
];

it('serves every change everywhere within two checks of the last kill', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(happening, { minLength: 10, maxLength: 60 }), async (happenings) => {
      const root = plant({ 'tea/SKILL.md': skill('tea', 'Brews tea') });
      let now = 0;
      const state = new MemoryState(() => now);
      const gateways = Array.from({ length: GATEWAYS }, (_, at) => new Gateway(`gateway-${at}`, root, state));
      for (const [at, happened] of happenings.entries()) {
        if (happened.kind === 'kill') gateways[happened.gateway]?.kill(happened.end);
        else if (happened.kind === 'tick') {
          now += happened.ms;
          await gateways[happened.gateway]?.tick();
        } else {
          const { kind, name, isNoticed } = happened;
          if (kind === 'remove') rmSync(join(root, name), { recursive: true, force: true });
          else add(root, { [`${name}/SKILL.md`]: skill(name, `Change ${at} of ${name}`) });
          for (const each of isNoticed ? gateways : []) each.notice(join(root, name));
        }
      }
      // Nobody is killed any more, and the lease of the last one ends.
      for (const each of gateways) each.kill(Number.POSITIVE_INFINITY);
      now += TTL_MS;
      for (let check = 0; check < 2; check += 1) {
        now += CHECK_MS;
        for (const each of gateways) await each.tick();
      }
      const { folders } = await readCatalog([localSource({ name: 'all', root })]);
      const expected = folders.map((folder) => [folder.id, digestOf(folder)]);
      for (const { copy } of gateways) {
        await pull(new MemoryStore(state), LINE, copy);
        expect(
          entriesOf(copy)
            .map(({ id, digest }) => [id, digest])
            .toSorted(),
        ).toEqual(expected);
      }
    }),
    { seed: 33, numRuns: 100, examples: [[SAME_NUMBER]] },
  );
}, 240_000);
