/**
 * Which skills a principal has loaded, for the gate `loaded`. Over stdio a principal is one client of one process. HTTP
 * requests have no session, so two agents of one principal share what they loaded.
 */

import { LRUCache } from 'lru-cache';
import type { CatalogEntry } from '../../sources/scan/entry.ts';
import type { Principal } from '../policy/principal.ts';

/** How long a load counts, ms: a working day. After that an agent has to load the skill again. */
const LIFETIME_MS = 8 * 3_600_000;
/** Principals kept, and skills kept of each: the last ones to load and to be loaded. */
const MAX_PRINCIPALS = 1_000;
const MAX_SKILLS = 200;

export type LoadedEntry = Pick<CatalogEntry, 'id' | 'source' | 'mcpTools' | 'allowedTools'>;

export class LoadedSkills {
  readonly #perf: { now(): number };
  readonly #byPrincipal = new LRUCache<string, LRUCache<string, LoadedEntry>>({ max: MAX_PRINCIPALS });

  /** `now` is in ms. */
  constructor(now: () => number) {
    // Of an entry that was set at 0, lru-cache knows no age.
    this.#perf = { now: () => 1 + now() };
  }

  remember({ id }: Principal, entry: LoadedEntry): void {
    const limits = { max: MAX_SKILLS, ttl: LIFETIME_MS, ttlResolution: 0, perf: this.#perf };
    const skills = this.#byPrincipal.get(id) ?? new LRUCache<string, LoadedEntry>(limits);
    skills.set(entry.id, entry);
    this.#byPrincipal.set(id, skills);
  }

  /** Loads that still count, oldest first. */
  of({ id }: Principal): readonly LoadedEntry[] {
    return [...(this.#byPrincipal.peek(id)?.rvalues() ?? [])].flatMap((entry) => entry ?? []);
  }
}
