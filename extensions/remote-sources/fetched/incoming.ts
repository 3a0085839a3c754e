/**
 * The contents of a source during a fetch: files go in, limits are enforced, and `finish` gives the new contents.
 * Served skills do not change before those are committed.
 */

import type { Diagnostic } from '../../../src/app/extension-api.ts';
import { type DiagnosticId, diagnose } from '../../../src/skills/diagnostics.ts';
import { type Contents, digestContents, type StoredFile } from './contents.ts';
import { FetchError } from './fetch-error.ts';
import type { Bytes, ObjectStore } from './object-store.ts';
import { findSkillFolders, MAX_SOURCE_FILES } from './select-files.ts';

export interface Limits {
  readonly maxSkills: number;
  readonly maxBytes: number;
}

/** Diagnostics kept of one fetch; the rest are only counted. */
const MAX_DIAGNOSTICS = 200;

export class IncomingContents {
  /** The contents of the last fetch; null in the first one. */
  readonly last: Contents | null;
  readonly limits: Limits;
  /** Aborts when the fetch must end: its time is up, or no caller waits for it. */
  readonly signal: AbortSignal;
  readonly #objects: ObjectStore;
  readonly #files = new Map<string, StoredFile>();
  readonly #diagnostics: Diagnostic[] = [];
  /** Stored in this fetch but not yet added: their bytes are already counted. */
  readonly #counted = new Set<StoredFile>();
  #bytes = 0;

  constructor(last: Contents | null, limits: Limits, signal: AbortSignal, objects: ObjectStore) {
    this.last = last;
    this.limits = limits;
    this.signal = signal;
    this.#objects = objects;
  }

  /** Bytes that may still come. */
  get bytesLeft(): number {
    return this.limits.maxBytes - this.#bytes;
  }

  /** A new path for a temporary file or folder of this fetch. */
  newStagingPath(): string {
    return this.#objects.newStagingPath();
  }

  /** Stores the bytes. They count towards the limit as they come, whether or not the file is added later. */
  async store(
    bytes: Bytes,
    { executable = false, from = null }: { executable?: boolean; from?: string | null } = {},
  ): Promise<StoredFile> {
    const stored = await this.#objects.write(bytes, { executable, from }, (count) => this.#count(count));
    this.#counted.add(stored);
    return stored;
  }

  /** Adds a stored file, of this fetch or the last one, to the new contents. */
  add(path: string, file: StoredFile): void {
    if (this.#files.has(path)) {
      throw new FetchError(`It has ${JSON.stringify(path)} twice: the whole fetch was refused.`);
    }
    if (!this.#counted.delete(file)) this.#count(file.size);
    this.#files.set(path, file);
    if (this.#files.size > MAX_SOURCE_FILES) {
      const message = `It has more than ${MAX_SOURCE_FILES} files in skills: the whole fetch was refused.`;
      throw new FetchError(message);
    }
  }

  /** Repeats the last fetch's diagnostics below a folder that is kept unchanged. */
  reportAgain(below: string): void {
    const kept = this.last?.diagnostics.filter(({ path }) => path.startsWith(`${below}/`)) ?? [];
    this.#diagnostics.push(...kept);
  }

  report(id: DiagnosticId, path: string, message: string, fix: string): void {
    this.#diagnostics.push(diagnose(id, path, message, { fix }));
  }

  /** `memory` is for the next fetch. Default for `resolved`: the digest over all files. */
  finish(memory: Readonly<Record<string, string>>, resolved = digestContents(this.#files)): Contents {
    const skills = findSkillFolders(this.#files.keys()).size;
    if (skills > this.limits.maxSkills) throw tooManySkills(skills, this.limits);
    const omitted = this.#diagnostics.length - MAX_DIAGNOSTICS;
    const diagnostics = this.#diagnostics.slice(0, MAX_DIAGNOSTICS);
    if (omitted > 0) {
      const message = `${omitted} more entries were left out.`;
      diagnostics.push(diagnose('entries-more', '.', message, { fix: 'Fix the reported ones first.' }));
    }
    return { resolved, files: this.#files, diagnostics, memory };
  }

  #count(bytes: number): void {
    this.signal.throwIfAborted();
    this.#bytes += bytes;
    if (this.#bytes > this.limits.maxBytes) throw tooManyBytes(this.limits);
  }
}

export function tooManySkills(skills: number, { maxSkills }: Limits): FetchError {
  const message = `It has ${skills} skills, and a source may have ${maxSkills}: give a sub-folder.`;
  return new FetchError(message);
}

export function tooManyBytes({ maxBytes }: Limits): FetchError {
  const message = `Its skills have more than the ${maxBytes} bytes that a source may have: give a sub-folder.`;
  return new FetchError(message);
}
