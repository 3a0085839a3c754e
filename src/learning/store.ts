/**
 * The data file: an append-only log next to the index that several processes share. A record is appended under the folder's
 * lock; readers take no lock and read what was added. Compaction writes the sums of what is still known to a new file and
 * renames it into place, so a killed process leaves the old file or the new one.
 *
 * A damaged line is skipped, and the next writer compacts it away. Without a readable first line, what others than the user of
 * this machine taught is dropped, since it could be counted twice under new names.
 */

import { randomBytes } from 'node:crypto';
import { appendFileSync, closeSync, fstatSync, mkdirSync, openSync, readSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type Directory, diskDirectory, writeWhole } from '#index';
import { messageOf } from '../errors/public.ts';
import { LearningError } from './errors.ts';
import { History } from './history.ts';
import { LOCAL_USER, whoOf } from './identity.ts';
import { type Head, type LearnedRecord, lineOf, recordOf } from './records.ts';

const FILE = 'uses.log';
/** Requests are nobody else's business on a shared machine. */
const OWNER_ONLY = 0o600;
/** How long a write waits for the lock, ms: a dead process holds it for ten seconds. */
const LOCK_PATIENCE_MS = 15_000;
/** Records that wait for the lock; later ones are dropped. */
const MAX_WAITING = 1_000;
/** Smaller files are not compacted, bytes. */
const SMALL = 64 * 1024;
/** A file is compacted when it has grown to this many times its size after the last compaction. */
const GROWTH = 2;
/** A skill that is gone is forgotten after this time, seconds: a source may be away for a while. */
const FORGET_AFTER = 24 * 3_600;
/** Another process's records are looked for at most this often, ms. */
const REFRESH_MS = 1_000;

/** A skill as the catalog knows it. */
export interface KnownSkill {
  readonly id: string;
  readonly name: string;
  readonly digest: string;
}

export interface StoreOptions {
  /** Absolute; created by the first write. */
  readonly folder: string;
  /** Seconds. */
  readonly halfLife: number;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly log: (message: string) => void;
  /** Default 20,000. */
  readonly mostUses?: number;
}

export class LearnedStore {
  readonly #options: StoreOptions;
  readonly #directory: Directory;
  readonly #path: string;
  #history: History;
  #head: Head | null = null;
  #inode = 0n;
  /** Bytes of the file that were read: always whole lines. */
  #offset = 0;
  #compactedBytes = 0;
  #damaged = false;
  #refreshedAt = Number.NEGATIVE_INFINITY;
  #waiting: LearnedRecord[] = [];
  #writing: Promise<void> | null = null;
  #reported = false;

  constructor(options: StoreOptions) {
    this.#options = options;
    this.#directory = diskDirectory(options.folder, { mode: OWNER_ONLY });
    this.#path = join(options.folder, FILE);
    this.#history = this.#empty();
    this.refresh();
  }

  /** A new object after the file was replaced by another process. */
  get history(): History {
    return this.#history;
  }

  /** Seconds since 1970. */
  get now(): number {
    return Math.floor(this.#options.now() / 1_000);
  }

  get file(): string {
    return this.#path;
  }

  /** Reads what other processes added; looks at most once a second. */
  refresh(): void {
    const now = this.#options.now();
    if (Math.abs(now - this.#refreshedAt) < REFRESH_MS) return;
    this.#refreshedAt = now;
    try {
      this.#read();
    } catch (error) {
      this.#report(`What was learned cannot be read from ${this.#path}: ${messageOf(error)}`);
    }
  }

  /** Adds records soon, in their order; `who` of a record is the name of a principal. Never throws: a failure is logged once. */
  add(records: readonly LearnedRecord[]): void {
    if (this.#waiting.length + records.length > MAX_WAITING) return;
    this.#waiting.push(...records);
    this.#writing ??= this.#write().finally(() => {
      this.#writing = null;
    });
  }

  /** Writes what waits. Resolves also where it could not be written. */
  async flush(): Promise<void> {
    while (this.#writing !== null) await this.#writing;
  }

  /** Adds records and compacts, so that nothing forgotten stays on disk. Rejects with `LearningError`. */
  async addNow(records: readonly LearnedRecord[]): Promise<void> {
    await this.flush();
    await this.#locked(() => {
      this.#append(records);
      this.#compact();
    });
  }

  /**
   * Follows the skills; `called` gives those with an id or name. A renamed folder keeps its files and so their digest. A
   * skill that is gone has no effect, since no search finds it; it is forgotten after a day.
   */
  follow(called: (idOrName: string) => readonly KnownSkill[]): void {
    this.refresh();
    const records: LearnedRecord[] = [];
    for (const { id, name, digest, goneSince } of this.#history.skills.values()) {
      const there = called(id).find((skill) => skill.id === id);
      const moved = there === undefined ? called(name).find((skill) => skill.digest === digest) : undefined;
      if (there !== undefined && (there.digest !== digest || goneSince !== null))
        records.push({ kind: 'edited', skill: id, name: there.name, digest: there.digest });
      else if (moved !== undefined) records.push({ kind: 'moved', from: id, to: moved.id });
      else if (there === undefined && goneSince === null)
        records.push({ kind: 'gone', skill: id, at: this.now });
      else if (there === undefined && goneSince !== null && this.now - goneSince > FORGET_AFTER)
        records.push({ kind: 'forget', skill: id });
    }
    if (records.length > 0) this.add(records);
  }

  async #write(): Promise<void> {
    while (this.#waiting.length > 0) {
      const records = this.#waiting;
      this.#waiting = [];
      try {
        await this.#locked(() => {
          this.#append(records);
          const forgets = records.some(({ kind }) => kind === 'forget');
          if (forgets || this.#damaged || this.#offset > Math.max(SMALL, GROWTH * this.#compactedBytes))
            this.#compact();
        });
      } catch (error) {
        this.#report(`${messageOf(error)} What agents load is not remembered.`);
      }
    }
  }

  async #locked(use: () => void): Promise<void> {
    let release: () => Promise<void>;
    try {
      mkdirSync(this.#options.folder, { recursive: true, mode: 0o700 });
      release = await this.#directory.lock(LOCK_PATIENCE_MS);
    } catch (cause) {
      throw this.#unwritable(cause);
    }
    try {
      this.#read();
      if (this.#head === null) this.#compact();
      use();
    } catch (cause) {
      throw this.#unwritable(cause);
    } finally {
      await release().catch(() => {});
    }
  }

  /** Only under the lock, with a readable head. */
  #append(records: readonly LearnedRecord[]): void {
    const { secret } = this.#head!;
    const lines = records.map((record) => lineOf(hidden(record, secret)));
    if (lines.length > 0) appendFileSync(this.#path, lines.join(''), { mode: OWNER_ONLY });
    this.#read();
  }

  /** Only under the lock: replaces the file by the sums of what is known. */
  #compact(): void {
    const head: Head = {
      kind: 'head',
      format: 1,
      id: randomBytes(8).toString('hex'),
      secret: this.#head?.secret ?? randomBytes(16).toString('hex'),
    };
    const lines = [head, ...this.#history.records()].map(lineOf).join('');
    const bytes = Buffer.from(lines);
    writeWhole(this.#directory, FILE, bytes);
    this.#head = head;
    this.#inode = statSync(this.#path, { bigint: true }).ino;
    this.#offset = bytes.length;
    this.#compactedBytes = bytes.length;
    this.#damaged = false;
  }

  /** Reads the lines that were added since the last time; all of them where the file was replaced. */
  #read(): void {
    const found = statSync(this.#path, { bigint: true, throwIfNoEntry: false });
    if (found === undefined) {
      if (this.#offset > 0) this.#reset();
      return;
    }
    if (found.ino === this.#inode && Number(found.size) === this.#offset) return;
    const file = openSync(this.#path, 'r');
    try {
      const { size, ino } = fstatSync(file, { bigint: true });
      if (this.#isReplaced(file, ino, Number(size))) this.#reset();
      this.#inode = ino;
      const bytes = bytesOf(file, this.#offset, Number(size));
      const end = bytes.lastIndexOf(10) + 1;
      if (this.#offset === 0) this.#compactedBytes = end;
      this.#take(bytes.subarray(0, end).toString('utf8'));
      this.#offset += end;
    } finally {
      closeSync(file);
    }
  }

  /** An inode's number may be used again, so the first line is compared, too. */
  #isReplaced(file: number, ino: bigint, size: number): boolean {
    if (this.#offset === 0) return false;
    if (ino !== this.#inode || size < this.#offset) return true;
    const head = this.#head === null ? Buffer.alloc(0) : Buffer.from(lineOf(this.#head));
    return !bytesOf(file, 0, head.length).equals(head);
  }

  #take(text: string): void {
    for (const line of text.split('\n')) {
      if (line === '') continue;
      const record = recordOf(line);
      if (record === null) this.#damaged = true;
      else if (record.kind === 'head') this.#head = record;
      // Without the secret, a principal would count again under another name.
      else if (this.#head !== null || !('who' in record) || record.who === LOCAL_USER)
        this.#history.apply(record);
    }
  }

  #reset(): void {
    this.#history = this.#empty();
    this.#head = null;
    this.#offset = 0;
    this.#inode = 0n;
    this.#damaged = false;
  }

  #empty(): History {
    return new History(this.#options.halfLife, this.#options.mostUses);
  }

  #report(message: string): void {
    if (!this.#reported) this.#options.log(message);
    this.#reported = true;
  }

  #unwritable(cause: unknown): LearningError {
    const message = `What was learned cannot be written to ${this.#path}: ${messageOf(cause)} Check its permissions and the disk.`;
    return new LearningError('LEARNED_UNWRITABLE', message, { cause });
  }
}

/** The record with the hashed name of its principal; sums have it already. */
const hidden = (record: LearnedRecord, secret: string): LearnedRecord =>
  record.kind === 'use' || record.kind === 'left' || (record.kind === 'forget' && record.who !== undefined)
    ? { ...record, who: whoOf(record.who!, secret) }
    : record;

function bytesOf(file: number, from: number, to: number): Buffer {
  const bytes = Buffer.alloc(to - from);
  let done = 0;
  while (done < bytes.length) {
    const count = readSync(file, bytes, done, bytes.length - done, from + done);
    if (count === 0) break;
    done += count;
  }
  return bytes.subarray(0, done);
}
