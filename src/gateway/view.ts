/**
 * The library as one principal may see it: each snapshot is restricted to the visible documents before any search.
 * Hidden skills therefore influence no rank, count, suggestion or score. Use cases cannot distinguish the view from the
 * whole library.
 */

import { createHash } from 'node:crypto';
import type { Reader } from '../../index/reader/reader.ts';
import type { Freshness, LibraryView } from '../catalog/library.ts';
import { type CatalogSummary, summarise } from '../catalog/summary.ts';
import type { Searchable } from '../search/search.ts';
import type { CatalogEntry } from '../sources/scan/entry.ts';
import type { ReadableFile } from '../sources/source.ts';
import { listSubjects, toSubject } from './policy/choice.ts';
import type { Grants } from './policy/policy.ts';

/** Replaces the generation number, which would reveal changes of hidden skills. */
const NO_GENERATION = 0;

interface View {
  readonly reader: Reader;
  /** Changes exactly when something visible changes. */
  readonly digest: string;
  summary: Promise<CatalogSummary> | null;
}

class RestrictedLibrary implements LibraryView {
  readonly #whole: LibraryView;
  readonly #grants: Grants;
  readonly #listeners = new Set<(generation: number) => void>();
  /** The view of the latest snapshot. */
  #latest: { readonly of: Reader; readonly view: View } | null = null;
  /** Digest of the view that listeners were last notified of. */
  #notified: string | null = null;
  /** Comparisons run one after the other, so that notifications keep their order. */
  #comparing: Promise<void> = Promise.resolve();
  #stop = () => {};

  constructor(whole: LibraryView, grants: Grants) {
    this.#whole = whole;
    this.#grants = grants;
  }

  async current(request?: Freshness): Promise<Searchable> {
    const whole = await this.#whole.current(request);
    // How long a check takes would reveal how many skills are hidden.
    return { ...whole, isBehind: false, reader: this.#viewOf(whole.reader).reader };
  }

  async unindexed(name: string): Promise<readonly CatalogEntry[]> {
    const isVisible = (entry: CatalogEntry) => this.#grants.visible(toSubject(entry));
    return (await this.#whole.unindexed?.(name, isVisible)) ?? [];
  }

  filesOf(entry: CatalogEntry): Promise<readonly ReadableFile[]> {
    return this.#whole.filesOf(entry);
  }

  /** Computed for the view once per generation: the whole catalog's summary names hidden skills. */
  async summary(): Promise<CatalogSummary> {
    const view = this.#viewOf((await this.#whole.current()).reader);
    view.summary ??= summarise(view.reader, this.#whole.pins).then((summary) => ({
      ...summary,
      generation: NO_GENERATION,
    }));
    // After a failure the next caller tries again.
    view.summary.catch(() => {
      view.summary = null;
    });
    return view.summary;
  }

  /** Calls back with 0 after each generation that changes the view. */
  onChange(listener: (generation: number) => void): () => void {
    this.#listeners.add(listener);
    if (this.#listeners.size === 1) {
      this.#notified = null;
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
      const before = this.#notified;
      this.#notified = digest;
      if (before !== null && before !== digest)
        for (const listener of this.#listeners) listener(NO_GENERATION);
    });
    // A library that cannot be opened reports the error to its callers.
    this.#comparing = compared.catch(() => {});
  }

  #viewOf(whole: Reader): View {
    if (this.#latest?.of !== whole) this.#latest = { of: whole, view: openView(whole, this.#grants) };
    return this.#latest.view;
  }
}

function openView(whole: Reader, grants: Grants): View {
  const subjects = listSubjects(whole);
  const accept = whole.accept([]).map((alive, ordinal) => {
    const subject = subjects.get(ordinal);
    return alive === 1 && subject !== undefined && grants.visible(subject) ? 1 : 0;
  });
  const reader = whole.restrictedTo(accept);
  return { reader, digest: readerDigest(reader), summary: null };
}

function readerDigest(reader: Reader): string {
  const hash = createHash('sha256');
  for (const ordinal of reader.ordinalsByKey())
    hash.update(`${reader.key(ordinal)}\0${reader.digest(ordinal)}\0`);
  return hash.digest('hex');
}

/** The part of the library that the grants make visible. */
export const viewFor = (library: LibraryView, grants: Grants): LibraryView =>
  grants.everything ? library : new RestrictedLibrary(library, grants);
