/** What may have changed since the folders were last looked at: nothing, what is at some paths, or anything. */
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

  /** True where only what is at some paths may have changed. */
  get arePaths(): boolean {
    return !this.#anything && this.#paths.size > 0;
  }

  /** The paths that were noted, null where there is more to look at than they; from then on there is nothing. */
  take(): readonly string[] | null {
    const paths = this.arePaths ? [...this.#paths] : null;
    this.#anything = false;
    this.#paths = new Set();
    return paths;
  }
}
