/** Contents of blobs, read from a repository's objects: as they were committed, through no filter. */

import { FetchError } from '../../errors.ts';
import { type GitRun, git, gitText } from './program.ts';

/** A line of `cat-file` is an id, a type and a size. */
const MAX_LINE = 200;
/** Bytes of listings; an id and a size take 60. */
const MAX_SIZES = 64 * 2 ** 20;

/** Bytes of each blob that the repository has; the others are not in the answer. */
export async function sizesOf(run: GitRun, oids: readonly string[]): Promise<Map<string, number>> {
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

/** Hands over the blobs one after the other, in the order given. `take` has to read all the bytes it is given. */
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
        const message = `The repository lacks a file that its commit names (${oid}): push it again.`;
        throw new FetchError('FETCH_INVALID', message);
      }
      await take(oid, output.bytes(Number.parseInt(size, 10)));
      await output.line();
    }
  } finally {
    await output.close();
  }
}

/** Lines and counted bytes out of pieces of any length. */
class Output {
  readonly #pieces: AsyncGenerator<Buffer>;
  #held: Buffer = Buffer.alloc(0);

  constructor(pieces: AsyncGenerator<Buffer>) {
    this.#pieces = pieces;
  }

  async line(): Promise<string> {
    for (;;) {
      const end = this.#held.indexOf(10);
      if (end !== -1) {
        const line = this.#held.toString('utf8', 0, end);
        this.#held = this.#held.subarray(end + 1);
        return line;
      }
      if (this.#held.length > MAX_LINE) throw broken();
      this.#held = Buffer.concat([this.#held, await this.#next()]);
    }
  }

  async *bytes(count: number): AsyncGenerator<Uint8Array> {
    let left = count;
    while (left > 0) {
      if (this.#held.length === 0) this.#held = await this.#next();
      const piece = this.#held.subarray(0, left);
      this.#held = this.#held.subarray(piece.length);
      left -= piece.length;
      yield piece;
    }
  }

  async close(): Promise<void> {
    await this.#pieces.return(undefined);
  }

  async #next(): Promise<Buffer> {
    const { value, done } = await this.#pieces.next();
    if (done === true) throw broken();
    return value;
  }
}

function broken(): FetchError {
  return new FetchError('FETCH_INVALID', 'git ended before all files were read. Try again.');
}
