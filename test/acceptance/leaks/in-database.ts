/** Serves a library from PostgreSQL: its index is published there, and searched through an outline. */

import { connect } from '../../../extensions/postgres/database/connect.ts';
import { migrate } from '../../../extensions/postgres/database/migrations.ts';
import { PostgresStore } from '../../../extensions/postgres/database/postgres-store.ts';
import { SearchReader } from '../../../extensions/postgres/database/search-reader.ts';
import { migrateSearch } from '../../../extensions/postgres/database/search-tables.ts';
import { SearchWriter } from '../../../extensions/postgres/database/search-writer.ts';
import { Replica } from '../../../extensions/postgres/gateway/replica.ts';
import { Publisher } from '../../../extensions/postgres/publish.ts';
import { pull } from '../../../extensions/postgres/pull.ts';
import { RemoteCache } from '../../../extensions/postgres/remote/cache.ts';
import { RemoteCandidates } from '../../../extensions/postgres/remote/candidates.ts';
import { SkillCache } from '../../../extensions/postgres/skill-cache.ts';
import type { Directory } from '../../../index/directory/directory.ts';
import { memoryDirectory } from '../../../index/directory/memory.ts';
import type { Reader } from '../../../index/reader/reader.ts';
import type { Library, ServedLibrary } from '../../../src/catalog/library.ts';
import { openEmbedder } from '../../../src/search/embedding/open.ts';

const LINE = 'leaks';
const HOUR_MS = 3_600_000;

/** `schema` is new. The database is closed with the library. */
export async function servedFromDatabase(
  url: string,
  schema: string,
  library: Library,
  directory: Directory,
  sources: readonly string[],
): Promise<ServedLibrary> {
  const embedder = await openEmbedder(undefined, { modelsFolder: 'models' });
  const database = connect({ url, connections: 2, timeoutMs: 60_000 });
  await migrate(database, schema);
  await migrateSearch(database, schema, embedder.dimensions);
  const store = new PostgresStore(database, schema);
  const lease = await store.acquire(LINE, 'writer', HOUR_MS);
  if (lease === null) throw new Error('The lease is taken.');
  const filesOf = library.filesOf.bind(library);
  const rows = new SearchWriter(database, schema);
  await new Publisher({ store, directory, filesOf, rows }).publish(lease);
  const reader = new SearchReader(database, schema);
  const outline = memoryDirectory();
  const cache = new RemoteCache(2 ** 22);
  const skills = new SkillCache(store, 2 ** 22);
  const replica = new Replica({
    directory: outline,
    embedder,
    vectors: 'auto',
    sources,
    now: () => performance.now(),
    log: () => {},
    candidatesOf: (own: Reader) => new RemoteCandidates(own, reader, cache),
    fetch: async () => {
      await pull(store, LINE, outline, reader);
    },
    invalidateCopy: () => {},
    filesOf: (entry) => skills.filesOf(entry),
  });
  const close = replica.close.bind(replica);
  replica.close = async () => {
    await close();
    await store.close();
  };
  return replica;
}
