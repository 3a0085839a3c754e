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

  /** Puts the bytes into the store. They count from `add` on; until then at most `room` of them are written. */
  async store(
    bytes: Bytes,
    { executable = false, from = null, room = this.room }: Partial<StoredFile> & { room?: number } = {},
  ): Promise<StoredFile> {
    let written = 0;
    return await this.#objects.write(bytes, { executable, from }, (count) => {
      this.signal.throwIfAborted();
      written += count;
      if (written > room) throw this.#tooLarge();
    });
  }

  /** Makes a stored file part of the new contents. */
  add(path: string, file: StoredFile): void {
    if (this.#files.has(path)) {
      throw new FetchError('FETCH_INVALID', `It has ${JSON.stringify(path)} twice: nothing of it is taken.`);
    }
    this.#bytes += file.size;
    if (this.#bytes > this.limits.maxBytes) throw this.#tooLarge();
    this.#files.set(path, file);
    if (this.#files.size > MAX_FILES_HELD) {
      const message = `It has more than ${MAX_FILES_HELD} files in skills: nothing of it is taken.`;
      throw new FetchError('FETCH_TOO_LARGE', message);
    }
  }

  report(id: DiagnosticId, path: string, message: string, mend: string): void {
    this.#diagnostics.push(diagnose(id, path, message, { mend }));
  }

  /** Without `resolved`, the digest over the files names them. */
  finish(memory: Readonly<Record<string, string>>, resolved?: string): Contents {
    const skills = skillFoldersOf(this.#files.keys()).size;
    if (skills > this.limits.maxSkills) throw tooManySkills(skills, this.limits);
    const cut = this.#diagnostics.length - MAX_DIAGNOSTICS;
    const diagnostics = this.#diagnostics.slice(0, MAX_DIAGNOSTICS);
    if (cut > 0) {
      const message = `${cut} more entries were left out.`;
      diagnostics.push(diagnose('entries-more', '.', message, { mend: 'Mend those that are told first.' }));
    }
    return { resolved: resolved ?? digestOf(this.#files), files: this.#files, diagnostics, memory };
  }

  #tooLarge(): FetchError {
    return tooManyBytes(this.limits);
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
