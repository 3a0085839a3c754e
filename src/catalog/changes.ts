/** What may have changed since the last check of the folders: nothing, some paths, or anything. */
export class Changes {
  #anything = true;
  #paths = new Set<string>();

  /** Absolute paths; null where anything may have changed. */
  note(paths: readonly string[] | null): void {
    if (paths === null) this.#anything = true;
    else for (const path of paths) this.#paths.add(path);
  }

  get some(): boolean {
    return this.#anything || this.#paths.size > 0;
  }

  /** True where changes are limited to known paths. */
  get arePaths(): boolean {
    return !this.#anything && this.#paths.size > 0;
  }

  /** Returns and clears the changes: paths, or null where anything may have changed. */
  take(): readonly string[] | null {
    const paths = this.arePaths ? [...this.#paths] : null;
    this.#anything = false;
    this.#paths = new Set();
    return paths;
  }
}
