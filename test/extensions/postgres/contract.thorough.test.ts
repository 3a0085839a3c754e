/** Stores keep their contract: in memory and on PGlite always, on a PostgreSQL server where this machine has one. */

import { afterAll, beforeAll, describe } from 'vitest';
import { connect } from '../../../extensions/postgres/database/connect.ts';
import { migrate } from '../../../extensions/postgres/database/migrations.ts';
import { PostgresStore } from '../../../extensions/postgres/database/postgres-store.ts';
import type { IndexStore } from '../../../extensions/postgres/index-store.ts';
import { indexStoreContract } from '../../contracts/index-store.ts';
import { endWithTest } from '../../end-with-test.ts';
import { needsThat } from '../../needs.ts';
import { type PostgresServer, pglite, postgresServer, serverPrograms } from '../../postgres.ts';
import { MemoryState, MemoryStore } from './memory-store.ts';

function stores(open: () => IndexStore) {
  const again = () => {
    const store = open();
    endWithTest(() => store.close());
    return store;
  };
  return { store: again(), again };
}

describe('memory', () => {
  indexStoreContract(async () => {
    const state = new MemoryState();
    return stores(() => new MemoryStore(state));
  });
});

describe('PGlite', () => {
  let lite: Awaited<ReturnType<typeof pglite>>;
  let schemas = 0;
  beforeAll(async () => {
    lite = await pglite();
  });
  afterAll(() => lite.close());
  indexStoreContract(async () => {
    schemas += 1;
    const schema = `s${schemas}`;
    await migrate(lite.open(), schema);
    return stores(() => new PostgresStore(lite.open(), schema));
  });
});

describe('a PostgreSQL server', needsThat(serverPrograms() !== null, 'PostgreSQL'), () => {
  let server: PostgresServer;
  let schemas = 0;
  beforeAll(async () => {
    server = await postgresServer();
  });
  afterAll(() => server.remove());
  indexStoreContract(async () => {
    schemas += 1;
    const schema = `s${schemas}`;
    const database = () => connect({ url: server.url, connections: 3, timeoutMs: 20_000 });
    const first = database();
    await migrate(first, schema);
    await first.close();
    return stores(() => new PostgresStore(database(), schema));
  });
});
