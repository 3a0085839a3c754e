/** A directory in memory, for tests and for an index that ends with its process. */

import { IndexError } from '../errors.ts';
import { type Directory, type FileSink, readWhole } from './directory.ts';

export function memoryDirectory(): Directory {
  const files = new Map<string, Uint8Array>();
  let locked = false;
  return {
    list: () => [...files.keys()].sort(),
    open(name) {
      const bytes = files.get(name);
      if (bytes === undefined)
        throw new IndexError('INDEX_MISSING', `There is no index file ${name} in memory.`);
      return {
        size: bytes.length,
        readInto(offset, target) {
          if (offset + target.length > bytes.length)
            throw new IndexError('INDEX_DAMAGED', `The index file ${name} ends at byte ${bytes.length}.`);
          target.set(bytes.subarray(offset, offset + target.length));
        },
        close() {},
      };
    },
    create: (name) => new MemoryFile(name, (bytes) => files.set(name, bytes)),
    remove: (name) => void files.delete(name),
    take: (from, name) => void files.set(name, readWhole(from, name)),
    async lock(patienceMs) {
      const until = Date.now() + patienceMs;
      while (locked) {
        if (Date.now() >= until)
          throw new IndexError('INDEX_LOCKED', 'Another writer holds the index in memory.');
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
      locked = true;
      return async () => {
        locked = false;
      };
    },
    pathOf: () => null,
  };
}

class MemoryFile implements FileSink {
  readonly #name: string;
  readonly #onCommit: (bytes: Uint8Array) => void;
  #bytes = new Uint8Array(1024);
  #end = 0;
  #isDone = false;

  constructor(name: string, onCommit: (bytes: Uint8Array) => void) {
    this.#name = name;
    this.#onCommit = onCommit;
  }

  write(bytes: Uint8Array): void {
    this.writeAt(this.#end, bytes);
  }

  writeAt(position: number, bytes: Uint8Array): void {
    this.#end = Math.max(this.#end, position + bytes.length);
    if (this.#end > this.#bytes.length) {
      const grown = new Uint8Array(Math.max(this.#end, 2 * this.#bytes.length));
      grown.set(this.#bytes);
      this.#bytes = grown;
    }
    this.#bytes.set(bytes, position);
  }

  async writeAsync(position: number, bytes: Uint8Array): Promise<void> {
    if (this.#isDone)
      throw new IndexError('INDEX_WRITE', `${this.#name} in memory is no longer being written.`);
    this.writeAt(position, bytes);
  }

  /** A file that was written at its last byte first fits exactly, and is not copied. */
  commit(): void {
    this.#isDone = true;
    this.#onCommit(this.#bytes.length === this.#end ? this.#bytes : this.#bytes.slice(0, this.#end));
  }

  abandon(): void {
    this.#isDone = true;
  }
}
