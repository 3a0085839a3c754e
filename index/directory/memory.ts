/** A directory in memory, for tests and for an index that ends with its process. */

import { IndexError } from '../errors.ts';
import { type Directory, readWhole } from './directory.ts';

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
    create(name) {
      let held = new Uint8Array(1024);
      let end = 0;
      let isDone = false;
      const writeAt = (position: number, bytes: Uint8Array) => {
        end = Math.max(end, position + bytes.length);
        if (end > held.length) {
          const grown = new Uint8Array(Math.max(end, 2 * held.length));
          grown.set(held);
          held = grown;
        }
        held.set(bytes, position);
      };
      return {
        write: (bytes) => writeAt(end, bytes),
        writeAt,
        async writeAsync(position, bytes) {
          if (isDone) throw new IndexError('INDEX_WRITE', `${name} in memory is no longer being written.`);
          writeAt(position, bytes);
        },
        // A file that was written at its last byte first fits exactly, and is not copied.
        commit() {
          isDone = true;
          files.set(name, held.length === end ? held : held.slice(0, end));
        },
        abandon() {
          isDone = true;
        },
      };
    },
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
