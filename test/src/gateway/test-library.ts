/** A library over a planted folder, with the toy embedder, a clock that tests set, and counts of its scans, locks and files. */

import type { Directory } from '../../../index/directory/directory.ts';
import { memoryDirectory } from '../../../index/directory/memory.ts';
import { inProcessWorker } from '../../../src/catalog/indexing/worker-pool.ts';
import { Library, type LibraryOptions } from '../../../src/catalog/library.ts';
import { openGateway } from '../../../src/gateway/pipeline.ts';
import { localSource } from '../../../src/sources/local.ts';
import type { Source } from '../../../src/sources/source.ts';
import { endWithTest } from '../../end-with-test.ts';
import { toyEmbedder } from '../../index/toy.ts';
import { plant, type Tree } from '../sources/scan/tree.ts';

export const skill = (name: string, description: string, body = `# ${name}\n\n${description}\n`) =>
  `---\nname: ${name}\ndescription: ${description}\n---\n${body}`;

export interface TestLibraryOptions extends Partial<LibraryOptions> {
  /** Awaited before each scan. */
  readonly gate?: () => Promise<void>;
}

export function testLibrary(tree: Tree | string, { gate, ...options }: TestLibraryOptions = {}) {
  const root = typeof tree === 'string' ? tree : plant(tree);
  const done = { scans: 0, locks: 0, openFiles: 0 };
  const clock = { ms: 0 };
  const log: string[] = [];
  const embedder = toyEmbedder();
  const local = localSource({ name: 'library', root });
  const source: Source = {
    ...local,
    async scan(signal) {
      done.scans += 1;
      await gate?.();
      return local.scan(signal);
    },
  };
  const directory = counted(options.directory ?? memoryDirectory(), done);
  const library = new Library({
    sources: [source],
    embedder,
    vectors: 'auto',
    workers: inProcessWorker(directory, options.embedder ?? embedder),
    now: () => clock.ms,
    log: (message) => log.push(message),
    // A call always waits for its check, so tests do not depend on the machine's speed.
    patienceMs: Number.POSITIVE_INFINITY,
    ...options,
    directory,
  });
  endWithTest(() => library.close());
  const gateway = openGateway(library);
  return {
    root,
    library,
    gateway,
    directory,
    embedder,
    clock,
    log,
    done,
    /** Ids found, best first. */
    find: async (query: string) =>
      (await gateway.search({ query, limit: 10 })).hits.map(({ entry }) => entry.id),
  };
}

/** Two sources with the same skill `deploy`; the first one's id comes last. */
export function twoSources() {
  const tree = { 'deploy/SKILL.md': skill('deploy', 'Deploy to a cluster') };
  const sources = ['zeta', 'alpha'].map((name) => localSource({ name, root: plant(tree) }));
  return testLibrary(tree, { sources });
}

function counted(inner: Directory, done: { locks: number; openFiles: number }): Directory {
  return {
    ...inner,
    async lock(patience) {
      done.locks += 1;
      return inner.lock(patience);
    },
    open(name) {
      const file = inner.open(name);
      done.openFiles += 1;
      let open = true;
      return {
        ...file,
        close() {
          if (open) done.openFiles -= 1;
          open = false;
          file.close();
        },
      };
    },
  };
}
