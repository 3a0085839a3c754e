/** A store in memory, for tests: several `MemoryStore`s over one `MemoryState` behave as connections of several gateways. */

import type {
  Collected,
  CollectOptions,
  IndexStore,
  Lease,
  NewObject,
  PublishedIndex,
  StoredObject,
  StoredSkill,
  StoreStatus,
  WriteBytes,
} from '../../../extensions/postgres/index-store.ts';
import { conflict, damaged, fenced } from '../../../extensions/postgres/index-store.ts';

interface Added<Value> {
  readonly value: Value;
  at: number;
}

interface Held {
  readonly holder: string;
  readonly fence: number;
  until: number;
}

export class MemoryState {
  readonly objects = new Map<string, Added<Uint8Array>>();
  readonly skills = new Map<string, Added<StoredSkill>>();
  /** Of each line, oldest first. */
  readonly generations = new Map<string, PublishedIndex[]>();
  readonly leases = new Map<string, Held>();
  readonly listeners = new Set<() => void>();
  /** Milliseconds. */
  readonly now: () => number;

  constructor(now: () => number = Date.now) {
    this.now = now;
  }
}

export class MemoryStore implements IndexStore {
  readonly #state: MemoryState;

  constructor(state: MemoryState) {
    this.#state = state;
  }

  async newest(line: string): Promise<PublishedIndex | null> {
    return this.#state.generations.get(line)?.at(-1) ?? null;
  }

  async fetch({ sha256, size }: StoredObject, write: WriteBytes): Promise<void> {
    const object = this.#state.objects.get(sha256);
    if (object === undefined) throw damaged(sha256, 'is not there');
    for (let at = 0; at < size; at += 2 ** 20) await write(at, object.value.slice(at, at + 2 ** 20));
  }

  async hasObjects(digests: readonly string[]): Promise<ReadonlySet<string>> {
    return this.#touched(this.#state.objects, digests);
  }

  async hasSkills(digests: readonly string[]): Promise<ReadonlySet<string>> {
    return this.#touched(this.#state.skills, digests);
  }

  #touched(among: ReadonlyMap<string, { at: number }>, digests: readonly string[]): ReadonlySet<string> {
    const found = digests.filter((digest) => among.has(digest));
    for (const digest of found) among.get(digest)!.at = this.#state.now();
    return new Set(found);
  }

  async addObjects(objects: readonly NewObject[]): Promise<void> {
    const { objects: held, now } = this.#state;
    for (const { sha256, chunks } of objects)
      if (!held.has(sha256)) held.set(sha256, { value: Buffer.concat([...chunks()]), at: now() });
  }

  async addSkills(skills: readonly StoredSkill[]): Promise<void> {
    const { skills: held, now } = this.#state;
    for (const skill of skills) {
      this.#require(skill.files);
      held.set(skill.digest, { value: skill, at: now() });
    }
  }

  #require(files: readonly { readonly sha256: string | null }[]): void {
    for (const { sha256 } of files)
      if (sha256 !== null && !this.#state.objects.has(sha256)) throw damaged(sha256, 'is not there');
  }

  async skill(digest: string): Promise<StoredSkill | null> {
    return this.#state.skills.get(digest)?.value ?? null;
  }

  async publish(
    lease: Lease,
    expected: number | null,
    { generation, files }: Pick<PublishedIndex, 'generation' | 'files'>,
  ): Promise<PublishedIndex> {
    const { generations, leases, listeners, now } = this.#state;
    const { line, fence } = lease;
    this.#require(files);
    if (leases.get(line)?.fence !== fence) throw fenced(lease);
    const before = generations.get(line) ?? [];
    const found = before.at(-1)?.version ?? null;
    if (found !== expected) throw conflict(line, expected, found);
    const published = { version: (found ?? 0) + 1, generation, files, publishedAt: new Date(now()) };
    generations.set(line, [...before, published]);
    for (const listener of listeners) listener();
    return published;
  }

  async acquire(line: string, holder: string, ttlMs: number): Promise<Lease | null> {
    const { leases, now } = this.#state;
    const held = leases.get(line);
    if (held !== undefined && held.until >= now()) return null;
    const fence = (held?.fence ?? 0) + 1;
    leases.set(line, { holder, fence, until: now() + ttlMs });
    return { line, holder, fence };
  }

  async renew({ line, fence }: Lease, ttlMs: number): Promise<boolean> {
    const held = this.#state.leases.get(line);
    if (held?.fence !== fence) return false;
    held.until = this.#state.now() + ttlMs;
    return true;
  }

  async release(lease: Lease): Promise<void> {
    await this.renew(lease, Number.NEGATIVE_INFINITY);
  }

  onChange(listener: () => void): () => void {
    this.#state.listeners.add(listener);
    return () => this.#state.listeners.delete(listener);
  }

  async status(): Promise<StoreStatus> {
    const { generations, leases, skills, objects, now } = this.#state;
    const lines = [...generations].flatMap(([line, all]) => {
      const held = leases.get(line);
      return all.slice(-1).map(({ version, generation, publishedAt, files }) => ({
        line,
        version,
        generation,
        publishedAt,
        bytes: files.reduce((sum, { size }) => sum + size, 0),
        writer: held !== undefined && held.until >= now() ? held.holder : null,
        fence: held?.fence ?? 0,
      }));
    });
    const bytes = [...objects.values()].reduce((sum, { value }) => sum + value.length, 0);
    return { lines, skills: skills.size, objects: objects.size, bytes };
  }

  async collect({ keep, liveSkills, graceMs }: CollectOptions): Promise<Collected> {
    const { generations, skills, objects, now } = this.#state;
    const isOld = ({ at }: { readonly at: number }) => at < now() - graceMs;
    const needed = new Set<string | null>();
    const removed = { generations: 0, skills: 0, objects: 0, bytes: 0 };
    for (const [line, all] of generations) {
      const kept = all.filter(
        (each, at) => at >= all.length - keep || !isOld({ at: Number(each.publishedAt) }),
      );
      removed.generations += all.length - kept.length;
      generations.set(line, kept);
      for (const { files } of kept) for (const { sha256 } of files) needed.add(sha256);
    }
    for (const [digest, skill] of skills) {
      if (liveSkills !== null && !liveSkills.includes(digest) && isOld(skill)) {
        skills.delete(digest);
        removed.skills += 1;
      } else for (const { sha256 } of skill.value.files) needed.add(sha256);
    }
    for (const [sha256, object] of objects) {
      if (needed.has(sha256) || !isOld(object)) continue;
      objects.delete(sha256);
      removed.objects += 1;
      removed.bytes += object.value.length;
    }
    return removed;
  }

  async close(): Promise<void> {}
}
