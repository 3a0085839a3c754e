/**
 * The file that holds requests which an agent wrote, one line of JSON a skill. `src/sources/kept-requests.ts` reads it for the
 * index. A line that is none is kept as it is: someone wrote it by hand.
 */

import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { AppError } from '../../src/app/app-error.ts';
import { errorMessage } from '../../src/base/errors.ts';
import { lock } from '../../src/base/files/lock.ts';
import { readInside } from '../../src/base/files/read.ts';
import { replaceFile } from '../../src/base/files/replace.ts';
import { type KeptRequests, MAX_KEPT_BYTES, parseKept } from '../../src/sources/kept-requests.ts';

/** How long another command may write it, ms. */
const PATIENCE_MS = 10_000;

interface Line {
  readonly text: string;
  /** Null for a line that holds no requests. */
  readonly kept: KeptRequests | null;
}

export class KeptFile {
  readonly path: string;

  constructor(path: string) {
    this.path = path;
  }

  /** By skill. Throws `CONFIG_UNREADABLE`. */
  digests(): ReadonlyMap<string, string> {
    return new Map(this.lines().flatMap(({ kept }) => (kept === null ? [] : [[kept.skill, kept.digest]])));
  }

  /** All lines, empty ones too. Throws `CONFIG_UNREADABLE`. */
  lines(): readonly Line[] {
    if (!existsSync(this.path)) return [];
    try {
      const bytes = readInside(dirname(this.path), this.path, { maxBytes: MAX_KEPT_BYTES });
      const lines = Buffer.from(bytes).toString('utf8').split('\n');
      return lines.map((text) => ({ text, kept: parseKept(text) }));
    } catch (cause) {
      const message = `${this.path} cannot be read: ${errorMessage(cause)}. Correct it, or move it away.`;
      throw new AppError('CONFIG_UNREADABLE', message, { cause });
    }
  }

  /** Numbers of the lines that hold no requests, from 1. */
  broken(): readonly number[] {
    return this.lines().flatMap(({ text, kept }, at) =>
      kept === null && text.trim() !== '' ? [at + 1] : [],
    );
  }

  /** Replaces what is kept of these skills. */
  put(added: readonly KeptRequests[]): Promise<void> {
    const skills = new Set(added.map(({ skill }) => skill));
    return this.#change((lines) => [
      ...lines.filter(({ kept }) => kept === null || !skills.has(kept.skill)),
      ...added.map((kept) => ({ kept, text: JSON.stringify(kept) })),
    ]);
  }

  /** Returns how many skills were removed. */
  async remove(isRemoved: (kept: KeptRequests) => boolean): Promise<number> {
    let removed = 0;
    if (!existsSync(this.path)) return removed;
    await this.#change((lines) => {
      const left = lines.filter(({ kept }) => kept === null || !isRemoved(kept));
      removed = lines.length - left.length;
      return left;
    });
    return removed;
  }

  async #change(edit: (lines: readonly Line[]) => readonly Line[]): Promise<void> {
    try {
      mkdirSync(dirname(this.path), { recursive: true });
      const release = await lock(`${this.path}.lock`, { patienceMs: PATIENCE_MS });
      try {
        this.#write(edit(this.lines()));
      } finally {
        await release();
      }
    } catch (cause) {
      if (cause instanceof AppError) throw cause;
      const message = `${this.path} cannot be written: ${errorMessage(cause)}. Nothing of it was changed.`;
      throw new AppError('FILE_UNWRITABLE', message, { cause });
    }
  }

  /** In order of skill, so that a version control shows what changed. */
  #write(lines: readonly Line[]): void {
    const sorted = lines
      .filter(({ text }) => text.trim() !== '')
      .toSorted((a, b) => compare(a.kept?.skill ?? '', b.kept?.skill ?? ''));
    const text = sorted.map((line) => `${line.text}\n`).join('');
    if (text === '') {
      rmSync(this.path, { force: true });
      return;
    }
    if (Buffer.byteLength(text) > MAX_KEPT_BYTES)
      throw new AppError('FILE_UNWRITABLE', `${this.path} would be too large. Nothing of it was changed.`);
    replaceFile(this.path, text, 0o644);
  }
}

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
