/**
 * The data file: an append-only log next to the index that several processes share. A sum is appended under the folder's
 * lock; readers take no lock and read what was added. Compaction writes what is still known to a new file and renames it into
 * place, so a killed process leaves the old file or the new one.
 *
 * A damaged line is skipped. Without a readable first line, what others than the user of this machine taught is dropped, since
 * it could be counted twice under new names.
 */

import { randomBytes } from 'node:crypto';
import { appendFileSync, closeSync, fstatSync, mkdirSync, openSync, readSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type Directory, writeWhole } from '../../index/directory/directory.ts';
import { CodedError, errorMessage } from '../../src/base/errors.ts';
import { indexDirectory } from '../../src/catalog/index-directory.ts';
import { History, type Left, type Load } from './history.ts';
import { formatLine, type Head, hashPrincipal, LOCAL_USER, parseLine } from './lines.ts';

const FILE = 'uses.log';
/** Requests are no one else's business on a shared machine. */
const OWNER_ONLY = 0o600;
/** How long a write waits for the lock, ms: a dead process holds it for ten seconds. */
const LOCK_PATIENCE_MS = 15_000;
/** Events that wait for the lock; later ones are dropped. */
const MAX_WAITING = 1_000;
/** Smaller files are not compacted, bytes. */
const SMALL = 64 * 1024;
/** A file is compacted when it has grown to this many times its size after the last compaction. */
const GROWTH = 2;
/** What was not loaded for so long is forgotten, seconds: it counts for a sixteenth. */
const FORGOTTEN_AFTER = 365 * 86_400;
/** What other processes added is looked for at most this often, ms. */
const REFRESH_MS = 1_000;

/** `LEARNED_UNWRITABLE`: the folder or file cannot be written or locked; nothing that was there is lost. */
class LearningError extends CodedError<'LEARNED_UNWRITABLE'> {
  override readonly name = 'LearningError';
}

export interface StoreOptions {
  /** Absolute; created by the first write. */
  readonly folder: string;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly log: (message: string) => void;
  /** Default 20,000. */
  readonly mostUses?: number;
}

export class Store {
  readonly #options: StoreOptions;
  readonly #directory: Directory;
  readonly #path: string;
  #history: History;
  #head: Head | null = null;
  #inode = 0n;
  /** Bytes of the file that were read: always whole lines. */
  #offset = 0;
  #compactedBytes = 0;
  /** Whether there are lines that the next writer compacts away: damaged ones, and those too old to count. */
  #isUntidy = false;
  #refreshedAt = Number.NEGATIVE_INFINITY;
  #waiting: (Load | Left)[] = [];
  #writing: Promise<void> | null = null;
  #isReported = false;

  constructor(options: StoreOptions) {
    this.#options = options;
    this.#directory = indexDirectory(options.folder, { mode: OWNER_ONLY });
    this.#path = join(options.folder, FILE);
    this.#history = new History(options.mostUses);
    this.refresh();
  }

  /** A new object after the file was replaced. */
  get history(): History {
    return this.#history;
  }

  /** Seconds since 1970. */
  get now(): number {
    return Math.floor(this.#options.now() / 1_000);
  }

  /** Reads what other processes added; looks at most once a second. */
  refresh(): void {
    const now = this.#options.now();
    if (Math.abs(now - this.#refreshedAt) < REFRESH_MS) return;
    this.#refreshedAt = now;
    try {
      this.#read();
    } catch (error) {
      this.#report(`What was learned cannot be read from ${this.#path}: ${errorMessage(error)}`);
    }
  }

  /** Adds an event soon; its `who` is the name of a principal. Never throws: a failure is logged once. */
  add(event: Load | Left): void {
    if (this.#waiting.length >= MAX_WAITING) return;
    this.#waiting.push(event);
    this.#writing ??= this.#write().finally(() => {
      this.#writing = null;
    });
  }

  /** Writes what waits. Resolves also where it could not be written. */
  async flush(): Promise<void> {
    while (this.#writing !== null) await this.#writing;
  }

  /**
   * Forgets what a principal taught, by name, or with null everything; on disk, too. Returns how many uses that were.
   * Rejects with `LearningError`.
   */
  async forget(who: string | null): Promise<number> {
    await this.flush();
    let before = 0;
    await this.#locked(({ secret }) => {
      before = this.#history.size;
      if (who === null) this.#history = new History(this.#options.mostUses);
      else this.#history.forget(hashPrincipal(who, secret));
      this.#compact();
    });
    return before - this.#history.size;
  }

  async #write(): Promise<void> {
    while (this.#waiting.length > 0) {
      const events = this.#waiting;
      this.#waiting = [];
      try {
        await this.#locked((head) => {
          this.#append(events, head);
          if (this.#isUntidy || this.#offset > Math.max(SMALL, GROWTH * this.#compactedBytes))
            this.#compact();
        });
      } catch (error) {
        this.#report(`${errorMessage(error)} What agents load is not remembered.`);
      }
    }
  }

  async #locked(use: (head: Head) => void): Promise<void> {
    let release: (() => Promise<void>) | undefined;
    try {
      mkdirSync(this.#options.folder, { recursive: true, mode: 0o700 });
      release = await this.#directory.lock(LOCK_PATIENCE_MS);
      this.#read();
      use(this.#head ?? this.#compact());
    } catch (cause) {
      const message = `What was learned cannot be written to ${this.#path}: ${errorMessage(cause)} Check its permissions and the disk.`;
      throw new LearningError('LEARNED_UNWRITABLE', message, { cause });
    } finally {
      await release?.().catch(() => {});
    }
  }

  /** Only under the lock. The lines are read back, which changes nothing: they are sums. */
  #append(events: readonly (Load | Left)[], { secret }: Head): void {
    const lines: string[] = [];
    for (const event of events) {
      const use = this.#history.after({ ...event, who: hashPrincipal(event.who, secret) });
      if (use === null) continue;
      this.#history.set(use);
      lines.push(formatLine(use));
    }
    if (lines.length > 0) appendFileSync(this.#path, lines.join(''), { mode: OWNER_ONLY });
    this.#read();
  }

  /** Only under the lock: replaces the file, and the history, by what is known. */
  #compact(): Head {
    const head: Head = {
      kind: 'head',
      id: randomBytes(8).toString('hex'),
      secret: this.#head?.secret ?? randomBytes(16).toString('hex'),
    };
    const bytes = Buffer.from([head, ...this.#history.uses()].map(formatLine).join(''));
    writeWhole(this.#directory, FILE, bytes);
    this.#reset();
    this.#read();
    return head;
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
      const bytes = readBytes(file, this.#offset, Number(size));
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
    const head = this.#head === null ? Buffer.alloc(0) : Buffer.from(formatLine(this.#head));
    return !readBytes(file, 0, head.length).equals(head);
  }

  #take(text: string): void {
    for (const line of text.split('\n')) {
      if (line === '') continue;
      const found = parseLine(line);
      if (found?.kind === 'head') this.#head = found;
      else if (found === null || this.now - found.at > FORGOTTEN_AFTER) this.#isUntidy = true;
      // Without the secret, a principal would count again under another name.
      else if (this.#head !== null || found.who === LOCAL_USER) this.#history.set(found);
    }
  }

  #reset(): void {
    this.#history = new History(this.#options.mostUses);
    this.#head = null;
    this.#offset = 0;
    this.#inode = 0n;
    this.#isUntidy = false;
  }

  #report(message: string): void {
    if (!this.#isReported) this.#options.log(message);
    this.#isReported = true;
  }
}

function readBytes(file: number, from: number, to: number): Buffer {
  const bytes = Buffer.alloc(to - from);
  let done = 0;
  while (done < bytes.length) {
    const count = readSync(file, bytes, done, bytes.length - done, from + done);
    if (count === 0) break;
    done += count;
  }
  return bytes.subarray(0, done);
}
