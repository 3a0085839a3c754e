/** Contents of blobs as they were committed, without filters. */

import { FetchError } from '../fetched/fetch-error.ts';
import { type GitRun, git, gitText } from './program.ts';

/** Longest line of `cat-file`, characters: an id, a type and a size. */
const MAX_LINE = 200;
/** Longest listing, bytes; an id and a size take 60. */
const MAX_SIZES = 64 * 2 ** 20;

/** Sizes in bytes of the blobs that the repository has. */
export async function readSizes(run: GitRun, oids: readonly string[]): Promise<Map<string, number>> {
  if (oids.length === 0) return new Map();
  const text = await gitText(run, ['cat-file', '--batch-check', '--buffer'], {
    input: `${oids.join('\n')}\n`,
    maxBytes: MAX_SIZES,
  });
  const sizes = new Map<string, number>();
  for (const line of text.split('\n')) {
    const [oid = '', type, size = ''] = line.split(' ');
    if (type === 'blob') sizes.set(oid, Number.parseInt(size, 10));
  }
  return sizes;
}

/** Calls `take` for each blob in the given order. It must read all bytes. */
export async function readBlobs(
  run: GitRun,
  oids: readonly string[],
  take: (oid: string, bytes: AsyncIterable<Uint8Array>) => Promise<void>,
): Promise<void> {
  if (oids.length === 0) return;
  const output = new Output(git(run, ['cat-file', '--batch', '--buffer'], `${oids.join('\n')}\n`));
  try {
    for (const oid of oids) {
      const [found, type, size = ''] = (await output.line()).split(' ');
      if (found !== oid || type !== 'blob') {
        const message = `The repository lacks a file of its commit (${oid}): push it again.`;
        throw new FetchError(message);
      }
      await take(oid, output.bytes(Number.parseInt(size, 10)));
      await output.line();
    }
  } finally {
    await output.close();
  }
}

/** Reads lines and byte counts from chunks of any length. */
class Output {
  readonly #chunks: AsyncGenerator<Buffer>;
  #held: Buffer = Buffer.alloc(0);

  constructor(chunks: AsyncGenerator<Buffer>) {
    this.#chunks = chunks;
  }

  async line(): Promise<string> {
    for (;;) {
      const end = this.#held.indexOf(10);
      if (end !== -1) {
        const line = this.#held.toString('utf8', 0, end);
        this.#held = this.#held.subarray(end + 1);
        return line;
      }
      if (this.#held.length > MAX_LINE) throw endedEarly();
      this.#held = Buffer.concat([this.#held, await this.#next()]);
    }
  }

  async *bytes(count: number): AsyncGenerator<Uint8Array> {
    let left = count;
    while (left > 0) {
      if (this.#held.length === 0) this.#held = await this.#next();
      const chunk = this.#held.subarray(0, left);
      this.#held = this.#held.subarray(chunk.length);
      left -= chunk.length;
      yield chunk;
    }
  }

  async close(): Promise<void> {
    await this.#chunks.return(undefined);
  }

  async #next(): Promise<Buffer> {
    const { value, done } = await this.#chunks.next();
    if (done === true) throw endedEarly();
    return value;
  }
}

function endedEarly(): FetchError {
  return new FetchError('git ended before all files were read. Try again.');
}
