/**
 * Which skills a principal has loaded, for the gate `loaded`. Over stdio that is one client for one process. Over HTTP
 * requests have no session: what counts is who asks, so that two agents of one principal share what they loaded.
 */

import type { CatalogEntry } from '../../catalog/entry.ts';
import type { Principal } from '../principal.ts';

/** A working day: an agent that goes on after that loads its skill once more. */
const FORGOTTEN_MS = 8 * 3_600_000;
/** Principals remembered, and skills of each: those that loaded last. */
const PRINCIPALS = 1_000;
const SKILLS = 200;

export type LoadedEntry = Pick<CatalogEntry, 'id' | 'source' | 'mcpTools' | 'allowedTools'>;

interface Loaded {
  readonly entry: LoadedEntry;
  readonly at: number;
}

export class LoadedSkills {
  readonly #now: () => number;
  readonly #loaded = new Map<string, Map<string, Loaded>>();

  /** `now` is in ms. */
  constructor(now: () => number) {
    this.#now = now;
  }

  remember({ id }: Principal, entry: LoadedEntry): void {
    const skills = this.#loaded.get(id) ?? new Map<string, Loaded>();
    putLast(skills, entry.id, { entry, at: this.#now() }, SKILLS);
    putLast(this.#loaded, id, skills, PRINCIPALS);
  }

  /** Those that are not yet forgotten; the latest last. */
  of({ id }: Principal): readonly LoadedEntry[] {
    const since = this.#now() - FORGOTTEN_MS;
    return [...(this.#loaded.get(id)?.values() ?? [])]
      .filter(({ at }) => at >= since)
      .map(({ entry }) => entry);
  }
}

function putLast<Value>(map: Map<string, Value>, key: string, value: Value, most: number): void {
  map.delete(key);
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > most && oldest !== undefined) map.delete(oldest);
}
