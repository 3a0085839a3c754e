/**
 * The library as one principal may see it: each snapshot restricted to the documents that the grants take in, before
 * anything is looked for. Everything above asks it as it would ask the library, and cannot tell the two apart; nothing
 * that is hidden has a rank, a count, a suggestion or a share in a score.
 */

import { createHash } from 'node:crypto';
import type { Reader } from '#index';
import type { Searchable } from '../../search/search.ts';
import type { CatalogSummary } from '../gateway.ts';
import type { Library } from '../library.ts';
import { summarise } from '../summary.ts';
import type { Grants } from './grants.ts';
import { subjectsOf } from './subjects.ts';

/** What the use cases need of a library. */
export type Shelf = Pick<Library, 'current' | 'summary' | 'onChange'>;

/** Stands for the number of the generation: counting commits would tell of what is hidden. */
const NO_GENERATION = 0;

interface View {
  readonly reader: Reader;
  /** Changes exactly when something does that the principal may see. */
  readonly digest: string;
  summary: Promise<CatalogSummary> | null;
}

export class RestrictedLibrary implements Shelf {
  readonly #whole: Shelf;
  readonly #grants: Grants;
  readonly #listeners = new Set<(generation: number) => void>();
  /** The view of the snapshot that answered last. */
  #latest: { readonly of: Reader; readonly view: View } | null = null;
  /** Digest of the view that the listeners know. */
  #told: string | null = null;
  /** Comparisons follow each other: a later one must not be told before an earlier. */
  #comparing: Promise<void> = Promise.resolve();
  #stop = () => {};

  constructor(whole: Shelf, grants: Grants) {
    this.#whole = whole;
    this.#grants = grants;
  }

  async current(): Promise<Searchable> {
    const whole = await this.#whole.current();
    return { ...whole, reader: this.#viewOf(whole.reader).reader };
  }

  /** Computed for the view, once a generation: the whole catalog's names its hidden skills. */
  async summary(): Promise<CatalogSummary> {
    const view = this.#viewOf((await this.#whole.current()).reader);
    view.summary ??= summarise(view.reader).then((summary) => ({ ...summary, generation: NO_GENERATION }));
    // What failed is tried again by the next caller.
    view.summary.catch(() => {
      view.summary = null;
    });
    return view.summary;
  }

  /** Calls back after each generation that changes the view, always with 0. */
  onChange(listener: (generation: number) => void): () => void {
    this.#listeners.add(listener);
    if (this.#listeners.size === 1) {
      this.#told = null;
      this.#stop = this.#whole.onChange(() => this.#compare());
      this.#compare();
    }
    return () => {
      if (this.#listeners.delete(listener) && this.#listeners.size === 0) this.#stop();
    };
  }

  #compare(): void {
    const compared = this.#comparing.then(async () => {
      const { digest } = this.#viewOf((await this.#whole.current()).reader);
      const before = this.#told;
      this.#told = digest;
      if (before !== null && before !== digest)
        for (const listener of this.#listeners) listener(NO_GENERATION);
    });
    // A library that does not open says so to whoever asks it.
    this.#comparing = compared.catch(() => {});
  }

  #viewOf(whole: Reader): View {
    if (this.#latest?.of !== whole) this.#latest = { of: whole, view: viewOf(whole, this.#grants) };
    return this.#latest.view;
  }
}

function viewOf(whole: Reader, grants: Grants): View {
  const subjects = subjectsOf(whole);
  const accept = whole.accept([]).map((alive, ordinal) => {
    const subject = subjects.get(ordinal);
    return alive === 1 && subject !== undefined && grants.visible(subject) ? 1 : 0;
  });
  const reader = whole.restrictedTo(accept);
  return { reader, digest: digestOf(reader), summary: null };
}

function digestOf(reader: Reader): string {
  const hash = createHash('sha256');
  for (const ordinal of reader.ordinalsByKey())
    hash.update(`${reader.key(ordinal)}\0${reader.digest(ordinal)}\0`);
  return hash.digest('hex');
}
