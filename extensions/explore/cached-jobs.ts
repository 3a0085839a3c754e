/**
 * Work in progress and done: each is performed once for the same skills, one after the other, and kept. That of the whole
 * catalog is kept next to the index as well, so that it is done once for each generation. Maps of restricted views are
 * made of what those views contain: where a visible skill lies depends on no hidden one.
 */

import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { type Directory, readWhole, writeWhole } from '../../index/directory/directory.ts';
import { IndexError } from '../../index/errors.ts';
import { errorMessage } from '../../src/base/errors.ts';
import type { Searchable } from '../../src/search/search.ts';
import type { Eventually } from './api.ts';
import { digestContent, type Kind, Packed, type Perform, type Results } from './work.ts';

/** Results kept in memory: a map of 25,000 skills takes 0.4 MB. */
const KEPT = 16;
/** Changes when results have another form. */
const FORM = 8;

export interface CachedJobsOptions {
  readonly perform: Perform;
  /** Of the index; null keeps results in memory only. */
  readonly directory: Directory | null;
  readonly log: (message: string) => void;
}

/** How far work is, or what it made. */
type Job<Result> = Exclude<Eventually<Result>, { readonly state: 'done' }> | Packed<Result>;

export class CachedJobs {
  readonly #options: CachedJobsOptions;
  readonly #known = new LRUCache<string, Job<unknown>>({ max: KEPT });
  #last: Promise<unknown> = Promise.resolve();

  constructor(options: CachedJobsOptions) {
    this.#options = options;
  }

  /** Begins the work where no one has. `whole` says that the view hides nothing. */
  progressOf<Name extends Kind>(kind: Name, index: Searchable, whole: boolean): Job<Results[Name]> {
    const file = cacheFile(kind, index);
    const known = this.#known.get(file) ?? (whole ? this.#stored(file) : null);
    // Kept under its kind, by this class alone.
    if (known !== null) return this.#keep(file, known as Job<Results[Name]>);
    const visible = whole ? null : Array.from(index.reader.ordinalsByKey(), (at) => index.reader.key(at));
    this.#last = this.#last
      .then(() =>
        this.#options.perform(kind, index, visible, (share) => this.#keep(file, { state: 'working', share })),
      )
      .then((bytes) => {
        this.#keep(file, new Packed(bytes));
        if (whole) this.#store(kind, file, bytes);
      })
      .catch((error: unknown) => {
        this.#options.log(`explore: the ${kind} could not be made: ${errorMessage(error)}`);
        this.#keep(file, { state: 'failed', reason: 'It could not be computed; the log says why.' });
      });
    return this.#keep(file, { state: 'working', share: 0 });
  }

  #keep<Now extends Job<unknown>>(file: string, job: Now): Now {
    this.#known.set(file, job);
    return job;
  }

  /** Null where there is none, or it is damaged. */
  #stored(file: string): Packed<unknown> | null {
    try {
      const { directory } = this.#options;
      return directory?.list().includes(file) === true ? new Packed(readWhole(directory, file)) : null;
    } catch {
      return null;
    }
  }

  /** In place of those of earlier generations. It only saves time at the next start: a full or read-only disk is no failure. */
  #store(kind: Kind, file: string, bytes: Uint8Array): void {
    const { directory } = this.#options;
    try {
      for (const name of directory?.list() ?? [])
        if (name.startsWith(`explore-${kind}-`)) directory?.remove(name);
      if (directory !== null) writeWhole(directory, file, bytes);
    } catch (error) {
      if (!(error instanceof IndexError)) throw error;
    }
  }
}

/** Another one for other skills. */
function cacheFile(kind: Kind, { reader }: Searchable): string {
  const key = createHash('sha256')
    .update(`${FORM} ${digestContent(reader)}`)
    .digest('hex')
    .slice(0, 16);
  return `explore-${kind}-${key}.gz`;
}
