/** Searching in PostgreSQL with pgvector keeps the contract of candidates; where the server lacks it, the test says so. */

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Database } from '../../../extensions/postgres/database/connect.ts';
import { connect } from '../../../extensions/postgres/database/connect.ts';
import { grantsFor, migrate } from '../../../extensions/postgres/database/migrations.ts';
import { PostgresStore } from '../../../extensions/postgres/database/postgres-store.ts';
import { SearchReader } from '../../../extensions/postgres/database/search-reader.ts';
import {
  migrateSearch,
  requireSearch,
  searchGrantsFor,
} from '../../../extensions/postgres/database/search-tables.ts';
import { SearchWriter } from '../../../extensions/postgres/database/search-writer.ts';
import { Publisher } from '../../../extensions/postgres/publish.ts';
import { pull } from '../../../extensions/postgres/pull.ts';
import { RemoteCache } from '../../../extensions/postgres/remote/cache.ts';
import { RemoteCandidates } from '../../../extensions/postgres/remote/candidates.ts';
import type { Directory } from '../../../index/directory/directory.ts';
import { memoryDirectory } from '../../../index/directory/memory.ts';
import { readManifest } from '../../../index/manifest.ts';
import { Reader } from '../../../index/reader/reader.ts';
import { candidateIndexContract, toyIndex } from '../../contracts/candidate-index.ts';
import { toyDocument, toyEmbedder } from '../../index/toy.ts';
import { hasVector, type PostgresServer, postgresServer } from '../../postgres.ts';

const embedder = toyEmbedder();
const SCHEMA = 'searched';
const HOUR_MS = 3_600_000;

describe('without pgvector', () => {
  /** Answers as a server where the extension has this version, or cannot be created. */
  const server = (version: string | null): Database => ({
    query: async (text) => {
      if (text.startsWith('create extension')) throw new Error('could not open extension control file');
      return (version === null ? [] : [{ version }]) as never;
    },
    bytes: async () => [],
    transaction: () => Promise.reject(new Error('no tables are made')),
    listen: () => () => {},
    close: async () => {},
  });

  it('says what to install', async () => {
    const error = await migrateSearch(server(null), SCHEMA, 32).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: 'STORE_MISSING' });
    expect(String(error)).toMatch(
      /could not open extension control file\. Install pgvector 0\.8 or newer.*store\.search to copy/s,
    );
  });

  it('refuses a version without iterative scans', async () => {
    await expect(migrateSearch(server('0.7.4'), SCHEMA, 32)).rejects.toThrow(
      /it has version 0\.7\.4\. Install pgvector/,
    );
  });
});

describe.skipIf(!hasVector())('PostgreSQL with pgvector', () => {
  let server: PostgresServer;
  let database: Database;
  let lines = 0;
  const open = (role = 'postgres') =>
    connect({ url: server.url.replace('postgres@', `${role}@`), connections: 3, timeoutMs: 60_000 });

  beforeAll(async () => {
    server = await postgresServer();
    database = open();
    await migrate(database, SCHEMA);
    await migrateSearch(database, SCHEMA, embedder.dimensions);
  });
  afterAll(async () => {
    await database?.close();
    await server?.remove();
  });

  /** Publishes what the directory holds in a line, with the rows. */
  async function publish(directory: Directory, line: string, isWithRows = true): Promise<void> {
    const store = new PostgresStore(database, SCHEMA);
    const lease = (await store.acquire(line, 'a', HOUR_MS)) ?? { line, holder: 'a', fence: 1 };
    const rows = isWithRows ? { rows: new SearchWriter(database, SCHEMA) } : {};
    await new Publisher({ store, directory, filesOf: async () => [], ...rows }).publish(lease);
  }

  async function searched(line: string, by: Database = database) {
    const rows = new SearchReader(by, SCHEMA);
    const outline = memoryDirectory();
    await pull(new PostgresStore(by, SCHEMA), line, outline, rows);
    const cache = new RemoteCache(2 ** 20);
    const candidatesOf = (own: Reader) => new RemoteCandidates(own, rows, cache);
    return { reader: Reader.open(outline, { embedder })!, rows, outline, candidatesOf };
  }

  const nextLine = () => {
    lines += 1;
    return `line ${lines}`;
  };
  const query = async (text: string) => ({ text, language: null, vector: await embedder.embedQuery(text) });
  const found = async ({ reader, candidatesOf }: Awaited<ReturnType<typeof searched>>, text: string) => {
    const { ordinals } = await candidatesOf(reader).find(await query(text), 5, reader.accept([]));
    return Array.from(ordinals, (ordinal) => reader.key(ordinal));
  };

  describe('keeps the contract', () => {
    candidateIndexContract(
      async (whole) => {
        const line = nextLine();
        await publish(whole, line);
        return searched(line);
      },
      { runs: 8 },
    );
  });

  it('migrating again changes nothing, and the tables are there for these vectors only', async () => {
    expect(await migrateSearch(database, SCHEMA, embedder.dimensions)).toEqual([]);
    await requireSearch(database, SCHEMA, embedder.dimensions);
    await expect(requireSearch(database, SCHEMA, 384)).rejects.toMatchObject({ code: 'STORE_MISSING' });
  });

  it('a gateway without the rows of the newest generation keeps what it holds, and says who has to write them', async () => {
    const line = nextLine();
    const directory = await toyIndex([[toyDocument('a', 'alpha kiln')]]);
    await publish(directory, line, false);
    await expect(searched(line)).rejects.toThrow(
      /published without rows for store\.search: database .*gateways that may write/,
    );
    // A later publication adds them, although the generation is there.
    await new SearchWriter(database, SCHEMA).add(directory, {
      name: readManifest(directory)!.segments[0]!.name,
      sha256: (await new PostgresStore(database, SCHEMA).newest(line))!.files.find(({ name }) =>
        name.endsWith('.segment'),
      )!.sha256,
    });
    expect(await found(await searched(line), 'kiln')).toEqual(['a']);
  });

  describe('generations', () => {
    let line: string;
    let first: Directory;
    beforeEach(async () => {
      line = nextLine();
      first = await toyIndex([[toyDocument('a', 'alpha kiln'), toyDocument('b', 'beta')]]);
      await publish(first, line);
    });
    afterEach(() => database.query(`delete from ${SCHEMA}.generation where line = $1`, [line]));

    it('an old one is searched until its rows are collected, which only happens once no generation names them', async () => {
      const before = await searched(line);
      const next = await toyIndex([[toyDocument('c', 'gamma kiln')]]);
      await publish(next, line);
      expect(await found(before, 'kiln')).toContain('a');
      expect(await found(await searched(line), 'kiln')).toEqual(['c']);
      const writer = new SearchWriter(database, SCHEMA);
      await new PostgresStore(database, SCHEMA).collect({ keep: 2, liveSkills: null, graceMs: 0 });
      await writer.collect(0);
      expect(await found(before, 'alpha')).toContain('a');
      await new PostgresStore(database, SCHEMA).collect({ keep: 1, liveSkills: null, graceMs: 0 });
      await writer.collect(HOUR_MS);
      expect(await rowsOf(readManifest(first)!.segments[0]!.name)).toBe(2);
      expect(await writer.collect(0)).toBeGreaterThan(0);
      expect(await rowsOf(readManifest(first)!.segments[0]!.name)).toBe(0);
      expect(await found(await searched(line), 'kiln')).toEqual(['c']);
    });

    it('rows that a dead writer left half are completed', async () => {
      const [{ name = '' } = {}] = readManifest(first)!.segments;
      const [segment] = await database.query<{ id: number; sha256: string }>(
        `update ${SCHEMA}.search_segment set ready = false where name = $1 returning id, sha256`,
        [name],
      );
      await database.query(`delete from ${SCHEMA}.search_posting where segment = $1 and term < 0`, [
        segment!.id,
      ]);
      await expect(searched(line)).rejects.toMatchObject({ code: 'STORE_MISSING' });
      await new SearchWriter(database, SCHEMA).add(first, { name, sha256: segment!.sha256 });
      expect(await found(await searched(line), 'kiln')).toContain('a');
      expect(await found(await searched(line), 'alpha')).toContain('a');
    });

    const rowsOf = async (name: string) => {
      const [count] = await database.query<{ count: number }>(
        `select count(*)::int as count from ${SCHEMA}.search_vector v
         join ${SCHEMA}.search_segment s on s.id = v.segment where s.name = $1`,
        [name],
      );
      return count!.count;
    };
  });

  it('a reader’s role searches, and may not write', async () => {
    const line = nextLine();
    const directory = await toyIndex([[toyDocument('a', 'alpha kiln')]]);
    await publish(directory, line);
    const roles = { reader: 'search_reader', writer: 'search_writer' };
    for (const role of Object.values(roles)) await database.query(`create role ${role} login`);
    for (const grant of [...grantsFor(SCHEMA, roles), ...searchGrantsFor(SCHEMA, roles)])
      await database.query(grant);
    const [reader, writer] = [open(roles.reader), open(roles.writer)];
    try {
      expect(await found(await searched(line, reader), 'kiln')).toEqual(['a']);
      const segment = { name: 'new.segment', sha256: '0'.repeat(64) };
      await expect(new SearchWriter(reader, SCHEMA).add(directory, segment)).rejects.toMatchObject({
        code: 'STORE_REFUSED',
      });
      const own = await toyIndex([[toyDocument('b', 'beta kiln')]]);
      const { name } = readManifest(own)!.segments[0]!;
      await new SearchWriter(writer, SCHEMA).add(own, { name, sha256: segment.sha256 });
      await new SearchReader(reader, SCHEMA).open([name]);
    } finally {
      await Promise.all([reader.close(), writer.close()]);
    }
  });

  it('finds what comparing every vector finds, through the graph and through filters of any size', async () => {
    const count = 2_400;
    const words = [
      'alpha',
      'beta',
      'gamma',
      'delta',
      'kiln',
      'glaze',
      'wheel',
      'clay',
      'hook',
      'form',
      'table',
      'query',
    ];
    const documents = Array.from({ length: count }, (_, at) =>
      toyDocument(
        `d${at}`,
        Array.from({ length: 6 }, (__, place) => words[(at * (place + 3) + (at >> place)) % 12]).join(' '),
      ),
    );
    const line = nextLine();
    await publish(await toyIndex([documents]), line);
    const { reader, rows } = await searched(line);
    const segment = reader.segments[0]!.reader;
    const asked = await embedder.embedQuery('kiln wheel hook beta');
    const score = (document: number) =>
      segment.documentVector(document).reduce((sum, value, at) => sum + value * asked[at]!, 0);
    const all = Array.from({ length: count }, (_, document) => score(document));
    const shares = [1, 0.5, 0.1, 0.005];
    for (const exact of [false, true])
      for (const share of shares) {
        const accepted = Uint8Array.from({ length: count }, (_, at) =>
          (at * 7919) % 1_000 < 1_000 * share ? 1 : 0,
        );
        const size = accepted.reduce((sum, one) => sum + one, 0);
        const { nearest } = await rows.retrieve([], {
          vector: asked,
          count: 20,
          accepted: [{ segment: segment.name, documents: accepted }],
          size,
          isFiltered: share < 1,
          exact,
        });
        const best = all.filter((_, at) => accepted[at] === 1).sort((a, b) => b - a);
        const least = best[Math.min(19, best.length - 1)]!;
        expect(nearest.length).toBeGreaterThanOrEqual(Math.min(20, size));
        for (const { document } of nearest) expect(accepted[document]).toBe(1);
        // Halves keep three digits.
        const good = nearest.slice(0, 20).filter(({ document }) => all[document]! >= least - 0.002).length;
        expect(good / Math.min(20, size)).toBeGreaterThanOrEqual(exact ? 1 : 0.9);
      }
  });
});
