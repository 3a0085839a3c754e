/**
 * One artifact on its way from a site into the store: downloaded to a file, never into memory, then verified and stored.
 * All artifacts of a fetch share one total of downloaded bytes. If they exceed it, the largest of them is given up: an
 * endless artifact costs itself and nothing else.
 */

import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream, rmSync } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import type { Target } from '../archive/unpack.ts';
import { FetchError } from '../errors.ts';
import type { StoredFile } from '../fetched/contents.ts';
import type { IncomingContents } from '../fetched/incoming.ts';

/** Bytes on disk of artifacts that are being fetched. */
export class DownloadTotal {
  readonly #maxBytes: number;
  readonly #open = new Map<AbortController, number>();

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  begin(): AbortController {
    const download = new AbortController();
    this.#open.set(download, 0);
    return download;
  }

  /** Counts bytes of a download. Gives up the largest one if all together exceed the total. */
  count(download: AbortController, bytes: number): void {
    this.#open.set(download, (this.#open.get(download) ?? 0) + bytes);
    const total = [...this.#open.values()].reduce((sum, each) => sum + each, 0);
    if (total <= this.#maxBytes) return;
    const [largest] = [...this.#open].toSorted(([, a], [, b]) => b - a)[0] ?? [download];
    // Its bytes are removed with its file; they must not give up a second one.
    this.#open.delete(largest);
    largest.abort(
      new FetchError(
        'FETCH_TOO_LARGE',
        `It is the largest of several downloads that together exceed the ${this.#maxBytes} bytes of the source. Raise maxBytes, or leave it out.`,
      ),
    );
    download.signal.throwIfAborted();
  }

  end(download: AbortController): void {
    this.#open.delete(download);
  }
}

/** Writes the chunks to a new file, runs `use` with its path and digest, and removes it. */
export async function viaFile<Result>(
  chunks: AsyncIterable<Uint8Array>,
  path: string,
  onBytes: (count: number) => void,
  use: (path: string, sha256: string) => Promise<Result>,
): Promise<Result> {
  try {
    const hash = createHash('sha256');
    const counted = async function* () {
      for await (const chunk of chunks) {
        onBytes(chunk.length);
        hash.update(chunk);
        yield chunk;
      }
    };
    await pipeline(counted, createWriteStream(path, { flags: 'wx' }));
    return await use(path, hash.digest('hex'));
  } finally {
    rmSync(path, { force: true });
  }
}

/** A part of a fetch whose bytes can be given back as a whole if it fails. */
export class Portion implements Target {
  readonly limits: IncomingContents['limits'];
  readonly signal: AbortSignal;
  readonly #incoming: IncomingContents;
  #stored = 0;

  constructor(incoming: IncomingContents) {
    this.limits = incoming.limits;
    this.signal = incoming.signal;
    this.#incoming = incoming;
  }

  /** What it alone may have. The total over all is counted as the bytes come. */
  get bytesLeft(): number {
    return this.limits.maxBytes - this.#stored;
  }

  readonly report: Target['report'] = (...given) => this.#incoming.report(...given);

  readonly store: Target['store'] = (bytes, about) => {
    const chunks = bytes instanceof Uint8Array ? [bytes] : bytes;
    const count = (size: number) => {
      this.#stored += size;
      if (this.bytesLeft < 0)
        throw new FetchError(
          'FETCH_TOO_LARGE',
          `It alone has more than the ${this.limits.maxBytes} bytes of the source. Raise maxBytes, or leave it out.`,
        );
    };
    const counted = async function* () {
      for await (const chunk of chunks) {
        count(chunk.length);
        yield chunk;
      }
    };
    return this.#incoming.store(counted(), about);
  };

  /** Stores a file on disk; `from` is the digest that its index gives. */
  storeFile(path: string, from?: string): Promise<StoredFile> {
    return this.store(createReadStream(path), from === undefined ? {} : { from });
  }

  release(): void {
    this.#incoming.release(this.#stored);
    this.#stored = 0;
  }
}
