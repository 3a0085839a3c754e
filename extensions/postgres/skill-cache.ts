/** Files of skills from the store, through a cache in memory of bounded size. All of it is immutable, so nothing in it grows old. */

import { LRUCache } from 'lru-cache';
import type { SkillFile } from '../../src/app/extension-api.ts';
import { type IndexStore, type StoredObject, type StoredSkill, StoreError } from './index-store.ts';
import { fetchWhole } from './pull.ts';

/** Lists of files that are kept: about 1 KB each. */
const MAX_SKILLS = 10_000;

/** A file whose bytes are not on this machine's disk. */
export interface RemoteFile extends SkillFile {
  /** Null for a file that is too large to be served. Rejects with `StoreError`. */
  readonly bytes: () => Promise<Uint8Array | null>;
}

export interface SkillCacheOptions {
  /** Of files. */
  readonly maxBytes: number;
  /** Whether the store is known to be away. What is not held fails at once then: calls that wait would fill a caller's limit. */
  readonly isAway: () => boolean;
}

export class SkillCache {
  readonly #skills: LRUCache<string, StoredSkill>;
  readonly #objects: LRUCache<string, Uint8Array, StoredObject>;

  constructor(store: Pick<IndexStore, 'skill' | 'fetch'>, { maxBytes, isAway }: SkillCacheOptions) {
    const requireStore = () => {
      if (isAway()) throw new StoreError('STORE_UNREACHABLE', 'The database does not answer.');
    };
    this.#skills = new LRUCache({
      max: MAX_SKILLS,
      fetchMethod: async (digest) => {
        requireStore();
        return (await store.skill(digest)) ?? undefined;
      },
    });
    this.#objects = new LRUCache({
      maxSize: maxBytes,
      sizeCalculation: ({ length }) => length + 1,
      fetchMethod: async (_digest, _old, { context }) => {
        requireStore();
        return fetchWhole(store, context);
      },
    });
  }

  /** The files of the skill with that digest; none if the store does not have it. Rejects with `StoreError`. */
  async filesOf({ digest }: { readonly digest: string }): Promise<readonly RemoteFile[]> {
    const skill = await this.#skills.fetch(digest);
    return (skill?.files ?? []).map(({ path, size, kind, sha256 }) => ({
      path,
      size,
      kind,
      bytes: async () =>
        sha256 === null ? null : ((await this.#objects.fetch(sha256, { context: { sha256, size } })) ?? null),
    }));
  }
}
