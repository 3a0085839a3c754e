/**
 * Work in progress and done: each is performed once for the same skills, one after the other, and kept. That of the whole
 * catalog is kept next to the index as well, so that it is done once for each generation. Maps of restricted views are
 * made of what those views contain: where a visible skill lies depends on no hidden one.
 */

import { LRUCache } from 'lru-cache';
import { type Directory, readJson, writeJsonIfPossible } from '../../index/directory/directory.ts';
import { messageOf } from '../../src/base/errors.ts';
import type { Searchable } from '../../src/search/search.ts';
import type { Eventually } from './api.ts';
import { contentOf, type Kind, type Perform, type Results } from './work.ts';

/** Results kept in memory: a map of 25,000 skills takes 2 MB. */
const KEPT = 16;
/** Changes when results have another form. */
const FORM = 4;

export interface CachedJobsOptions {
  readonly perform: Perform;
  /** Of the index; null keeps results in memory only. */
  readonly directory: Directory | null;
  readonly log: (message: string) => void;
}

interface Stored {
  readonly form: number;
  readonly content: string;
  readonly result: unknown;
}

export class CachedJobs {
  readonly #options: CachedJobsOptions;
  readonly #known = new LRUCache<string, Eventually<unknown>>({ max: KEPT });
  #last: Promise<unknown> = Promise.resolve();

  constructor(options: CachedJobsOptions) {
    this.#options = options;
  }

  /** Begins the work where nobody has. `whole` says that the view hides nothing. */
  progressOf<Name extends Kind>(kind: Name, index: Searchable, whole: boolean): Eventually<Results[Name]> {
    const content = contentOf(index.reader);
    const key = `${kind} ${content}`;
    const known = this.#known.get(key) ?? (whole ? this.#stored(kind, content) : null);
    // Stored under its kind, by this class alone.
    if (known !== null) return this.#keep(key, known as Eventually<Results[Name]>);
    const visible = whole ? null : Array.from(index.reader.ordinalsByKey(), (at) => index.reader.key(at));
    this.#last = this.#last
      .then(() =>
        this.#options.perform(kind, index, visible, (share) => this.#keep(key, { state: 'working', share })),
      )
      .then((result) => {
        this.#keep(key, { state: 'done', result });
        if (whole) this.#store(kind, content, result);
      })
      .catch((error: unknown) => {
        this.#options.log(`explore: the ${kind} could not be made: ${messageOf(error)}`);
        this.#keep(key, { state: 'failed', reason: 'It could not be computed; the log says why.' });
      });
    return this.#keep(key, { state: 'working', share: 0 });
  }

  #keep<State extends Eventually<unknown>>(key: string, state: State): State {
    this.#known.set(key, state);
    return state;
  }

  #stored(kind: Kind, content: string): Eventually<unknown> | null {
    const { directory } = this.#options;
    if (directory === null) return null;
    // Written by `#store`, or something that has no such fields.
    const stored = readJson(directory, fileOf(kind)) as Partial<Stored> | null | undefined;
    return stored?.form === FORM && stored.content === content
      ? { state: 'done', result: stored.result }
      : null;
  }

  #store(kind: Kind, content: string, result: unknown): void {
    const { directory } = this.#options;
    if (directory === null) return;
    writeJsonIfPossible(directory, fileOf(kind), { form: FORM, content, result } satisfies Stored);
  }
}

const fileOf = (kind: Kind) => `explore-${kind}.json`;
