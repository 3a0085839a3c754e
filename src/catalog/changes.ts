/**
 * Changes of the folders, from the moment they are seen until a commit holds them: `take` gives what is to be checked, `indexed` says
 * that the index holds what was taken, `committed` that it is served. What fails in between stays pending.
 */

/** What was seen since the start, for `/readyz` and metrics. */
export interface ChangeStatus {
  /** Changed paths; a change of which no path is known counts once. */
  readonly seen: number;
  readonly committed: number;
  /** Seen and not yet committed. */
  readonly pending: number;
  /** How long the oldest of these has been pending, ms; 0 without one. */
  readonly pendingMs: number;
}

export class Changes {
  readonly #now: () => number;
  readonly #isPublished: boolean;
  #anything = true;
  #paths = new Set<string>();
  /** Each counts from the start: changes up to `#committed` are served, up to `#indexed` in the index. */
  #seen = 0;
  #indexed = 0;
  #committed = 0;
  /** When the changes up to a count were seen, ms; oldest first, none that is committed. */
  #times: { readonly upTo: number; readonly at: number }[] = [];

  /**
   * `now` in milliseconds, monotonic. `isPublished`: what is indexed is served once it is published, which `committed` reports; else at
   * once. What changed while nobody wrote then counts as one change, seen now.
   */
  constructor(now: () => number, isPublished = false) {
    this.#now = now;
    this.#isPublished = isPublished;
    if (isPublished) this.note(null);
  }

  /** Absolute paths; null where anything may have changed. */
  note(paths: readonly string[] | null): void {
    if (paths === null) this.#anything = true;
    else for (const path of paths) this.#paths.add(path);
    this.#seen += paths?.length ?? 1;
    this.#times.push({ upTo: this.#seen, at: this.#now() });
  }

  get some(): boolean {
    return this.#anything || this.#paths.size > 0;
  }

  /** True where changes are limited to known paths. */
  get arePaths(): boolean {
    return !this.#anything && this.#paths.size > 0;
  }

  /** Returns what is to be checked, once: paths, or null where anything may have changed; and the count of changes that this covers. */
  take(): { readonly paths: readonly string[] | null; readonly upTo: number } {
    const paths = this.arePaths ? [...this.#paths] : null;
    this.#anything = false;
    this.#paths = new Set();
    return { paths, upTo: this.#seen };
  }

  /** What was taken could not be processed: anything is taken again. */
  retry(): void {
    this.#anything = true;
  }

  /** The index holds the changes up to that count. */
  indexed(upTo: number): void {
    this.#indexed = upTo;
    if (!this.#isPublished) this.committed(this.#indexed);
  }

  /** The count of changes that the index holds. */
  get indexedUpTo(): number {
    return this.#indexed;
  }

  /** Changes up to that count are served. */
  committed(upTo: number): void {
    this.#committed = Math.max(this.#committed, upTo);
    this.#times = this.#times.filter((time) => time.upTo > this.#committed);
  }

  status(): ChangeStatus {
    const [oldest] = this.#times;
    return {
      seen: this.#seen,
      committed: this.#committed,
      pending: this.#seen - this.#committed,
      pendingMs: oldest === undefined ? 0 : this.#now() - oldest.at,
    };
  }
}
