/** Indexing runs over planted folders, with the toy embedder, in memory or in a directory of the test. */

import type { Directory } from '../../../../index/directory/directory.ts';
import { memoryDirectory } from '../../../../index/directory/memory.ts';
import { Reader } from '../../../../index/reader/reader.ts';
import type { RunOptions } from '../../../../src/catalog/indexing/options.ts';
import type { IndexReport } from '../../../../src/catalog/indexing/report.ts';
import { runIndexing } from '../../../../src/catalog/indexing/run.ts';
import { inProcessWorker, type WorkerPool } from '../../../../src/catalog/indexing/worker-pool.ts';
import { localSource } from '../../../../src/sources/local.ts';
import { readCatalog } from '../../../../src/sources/scan/catalog.ts';
import { toyEmbedder } from '../../../index/toy.ts';
import { plant, type Tree } from '../../sources/scan/tree.ts';

export const skill = (name: string, description: string, more = '') =>
  `---\nname: ${name}\ndescription: ${description}\n${more}---\n# ${name}\n\n${description}\n`;

export function workshop(tree: Tree, directory: Directory = memoryDirectory()) {
  const root = plant(tree);
  const embedder = toyEmbedder();
  return {
    root,
    directory,
    embedder,
    async run(options: Partial<RunOptions> & { readonly from?: string } = {}): Promise<IndexReport> {
      const { from = root, ...rest } = options;
      const workers = inProcessWorker(directory, embedder);
      const catalog = await readCatalog([localSource({ name: 's', root: from })]);
      return runIndexing(catalog, { directory, embedder, vectors: 'auto', workers, now: () => 0, ...rest });
    },
    /** Payloads in the index, by key. */
    entries(): Record<string, { folder: string; description: string }> {
      const reader = Reader.open(directory, { embedder })!;
      const entries = Array.from(reader.ordinalsByKey(), (ordinal) => [
        reader.key(ordinal),
        reader.payload(ordinal) as { folder: string; description: string },
      ]);
      reader.close();
      return Object.fromEntries(entries);
    },
  };
}

/** A worker pool whose run dies between its first finished task and the commit. */
export const interrupted = (workers: WorkerPool): WorkerPool => ({
  ...workers,
  async perform(task, advance) {
    await workers.perform(task, advance);
    throw new Error('The run was killed.');
  },
});
