/**
 * Work that takes seconds in a large catalog: its map, and pairs of skills that collide. It runs in a thread of its own, which
 * opens the index itself, so that no search waits for it, and its memory ends with it; from sources in this thread.
 */

import { createHash } from 'node:crypto';
import { gunzipSync, gzipSync } from 'node:zlib';
import type { Reader } from '../../index/reader/reader.ts';
import type { VectorMode } from '../../src/app/extension-api.ts';
import { ask, startThread, type Work } from '../../src/catalog/threads.ts';
import { PASSAGE_VERSION } from '../../src/search/passages/version.ts';
import type { Searchable } from '../../src/search/search.ts';
import { collidingPairs } from '../authoring/collisions.ts';
import type { SkillMap } from './api.ts';
import { computeMap } from './map.ts';

/** Pairs that are kept, the hardest to tell apart first. */
const KEPT = 2_000;

type Progress = (share: number) => void;

const PERFORM = {
  map: async ({ reader }: Searchable, onProgress: Progress): Promise<SkillMap> => ({
    content: digestContent(reader),
    ...(await computeMap(reader, onProgress)),
  }),
  async collisions(index: Searchable): Promise<readonly (readonly [string, string])[]> {
    return (await collidingPairs(index)).slice(0, KEPT).map(({ ids }) => ids);
  },
};

export type Kind = keyof typeof PERFORM;
export type Results = { readonly [Name in Kind]: Awaited<ReturnType<(typeof PERFORM)[Name]>> };

/** A result as it is kept and sent: the JSON of `Eventually`, compressed. */
export class Packed<Result> {
  readonly state = 'done';
  /** gzip. */
  readonly bytes: Uint8Array;
  #result: Result | undefined;

  /** Throws where the bytes are damaged. */
  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
    gunzipSync(bytes);
  }

  /** Read when someone asks for it: most of them are only sent. */
  get result(): Result {
    this.#result ??= JSON.parse(gunzipSync(this.bytes).toString()).result as Result;
    return this.#result;
  }

  toJSON() {
    return { state: this.state, result: this.result };
  }
}

/** Performs work over a view; `visible` are the ids in it, or null for the whole catalog. Resolves to the bytes of `Packed`. */
export type Perform = (
  kind: Kind,
  index: Searchable,
  visible: readonly string[] | null,
  onProgress: Progress,
) => Promise<Uint8Array>;

/** In this thread. */
export const performHere: Perform = async (kind, index, _, onProgress) =>
  gzipSync(JSON.stringify({ state: 'done', result: await PERFORM[kind](index, onProgress) }));

/** What the thread needs to open the same index. */
export interface ThreadSetting {
  readonly indexFolder: string;
  /** Undefined for the shipped model. */
  readonly embedder: string | undefined;
  readonly modelsFolder: string;
  readonly cacheFolder: string;
  readonly vectors: VectorMode;
}

interface ThreadTask extends ThreadSetting {
  readonly kind: Kind;
  readonly visible: readonly string[] | null;
}

/** Reports the share that is done. */
export type ThreadWork = Work<ThreadTask, number, Uint8Array>;

/** `entry` is the built `explore-worker.js`. */
export const performInThread =
  (entry: URL, setting: ThreadSetting): Perform =>
  async (kind, _, visible, onProgress) => {
    const thread = startThread(entry);
    try {
      return await ask<ThreadTask, number, Uint8Array>(thread, { ...setting, kind, visible }, onProgress);
    } finally {
      void thread.terminate();
    }
  };

/** Changes with any skill of the view, and with what the index says of it: two views with the same skills have the same work. */
export function digestContent(reader: Reader): string {
  const known = contents.get(reader);
  if (known !== undefined) return known;
  const hash = createHash('sha256').update(PASSAGE_VERSION);
  for (const ordinal of reader.ordinalsByKey())
    hash.update(`${reader.key(ordinal)}\0${reader.digest(ordinal)}\0`);
  const content = hash.update(JSON.stringify(reader.facetCounts('source:'))).digest('hex');
  contents.set(reader, content);
  return content;
}

const contents = new WeakMap<Reader, string>();
