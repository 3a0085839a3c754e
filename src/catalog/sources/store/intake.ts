/**
 * One fetch while it is under way: files go in, limits are kept, and at the end there are new contents. Until then
 * nothing that is served changes.
 */

import { type DiagnosticId, diagnose } from '../../../skills/diagnostics.ts';
import type { Diagnostic } from '../../../skills/skill.ts';
import { FetchError } from '../../errors.ts';
import { MAX_FILES_HELD, skillFoldersOf } from './admit.ts';
import { type Contents, digestOf, type StoredFile } from './contents.ts';
import type { Bytes, Objects } from './objects.ts';

export interface Limits {
  readonly maxSkills: number;
  readonly maxBytes: number;
}

/** Diagnostics kept of one fetch; of the rest only the number is told. */
const MAX_DIAGNOSTICS = 200;

export class Intake {
  /** What the last fetch brought; null where this is the first. */
  readonly last: Contents | null;
  readonly limits: Limits;
  /** Aborted when the fetch must end: its time is up, or nobody waits for it any more. */
  readonly signal: AbortSignal;
  readonly #objects: Objects;
  readonly #files = new Map<string, StoredFile>();
  readonly #diagnostics: Diagnostic[] = [];
  /** Stored in this fetch and not yet part of the contents: their bytes are counted already. */
  readonly #counted = new Set<StoredFile>();
  #bytes = 0;

  constructor(last: Contents | null, limits: Limits, signal: AbortSignal, objects: Objects) {
    this.last = last;
    this.limits = limits;
    this.signal = signal;
    this.#objects = objects;
  }

  /** Bytes that may still be taken. */
  get room(): number {
    return this.limits.maxBytes - this.#bytes;
  }

  /** A file that is being written elsewhere for the time of the fetch: a path that nothing has. */
  newAside(): string {
    return this.#objects.newAside();
  }

  /** Puts the bytes into the store. They count from the first on, whether they are added in the end or not. */
  async store(
    bytes: Bytes,
    { executable = false, from = null }: { executable?: boolean; from?: string | null } = {},
  ): Promise<StoredFile> {
    const stored = await this.#objects.write(bytes, { executable, from }, (count) => this.#count(count));
    this.#counted.add(stored);
    return stored;
  }

  /** Makes a stored file, of this fetch or the last, part of the new contents. */
  add(path: string, file: StoredFile): void {
    if (this.#files.has(path)) {
      throw new FetchError('FETCH_INVALID', `It has ${JSON.stringify(path)} twice: nothing of it is taken.`);
    }
    if (!this.#counted.delete(file)) this.#count(file.size);
    this.#files.set(path, file);
    if (this.#files.size > MAX_FILES_HELD) {
      const message = `It has more than ${MAX_FILES_HELD} files in skills: nothing of it is taken.`;
      throw new FetchError('FETCH_TOO_LARGE', message);
    }
  }

  /** What the last fetch said of something that is kept as it is. */
  reportAgain(below: string): void {
    const said = this.last?.diagnostics.filter(({ path }) => path.startsWith(`${below}/`)) ?? [];
    this.#diagnostics.push(...said);
  }

  report(id: DiagnosticId, path: string, message: string, mend: string): void {
    this.#diagnostics.push(diagnose(id, path, message, { mend }));
  }

  /** Without `resolved`, the digest over the files names them. */
  finish(memory: Readonly<Record<string, string>>, resolved = digestOf(this.#files)): Contents {
    const skills = skillFoldersOf(this.#files.keys()).size;
    if (skills > this.limits.maxSkills) throw tooManySkills(skills, this.limits);
    const cut = this.#diagnostics.length - MAX_DIAGNOSTICS;
    const diagnostics = this.#diagnostics.slice(0, MAX_DIAGNOSTICS);
    if (cut > 0) {
      const message = `${cut} more entries were left out.`;
      diagnostics.push(diagnose('entries-more', '.', message, { mend: 'Mend those that are told first.' }));
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
  const message = `It has ${skills} skills, and the source may have ${maxSkills}: raise maxSkills, or name a sub-folder.`;
  return new FetchError('FETCH_TOO_LARGE', message);
}

export function tooManyBytes({ maxBytes }: Limits): FetchError {
  const message = `Its skills have more than the ${maxBytes} bytes that the source may have: raise maxBytes, or name a sub-folder.`;
  return new FetchError('FETCH_TOO_LARGE', message);
}
