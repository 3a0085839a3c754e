/** Promise: several gateways answer from one store as one embedded index would; any of them may die. Needs a PostgreSQL server. */

import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type PostgresServer, postgresServer, serverPrograms } from '../postgres.ts';
import { examples, root, type Workplace, workplace } from './command.ts';
import { call, copySkills, ready, SOON, gateway as startGateway, teamPlace } from './gateways.ts';
import { type HttpServer, serveHttp } from './http-server.ts';

const QUERIES = ['our mails land in the junk folder', 'roll back a bad deploy', 'Rechnung prüfen', 'zzz qqq'];
const skill = (name: string, description: string) =>
  `---\nname: ${name}\ndescription: ${description}\n---\n\n# ${name}\n\nTurn the pegs.\n`;

let place: Workplace;

/** With a catalog of its own in the database. */
async function team(store: Record<string, unknown> = {}): Promise<void> {
  schemas += 1;
  place = teamPlace({ url: postgres.url, schema: `team_${schemas}`, ...store });
  expect((await place.run('store', 'init')).stderr).toBe('');
}

const gateway = (name: string, ...args: string[]) => startGateway(place, name, ...args);

const search = (server: HttpServer, query: string) => call(server, 'search_skills', { query });
const textOf = async (answer: ReturnType<typeof call>) => JSON.stringify((await answer).content);

let postgres: PostgresServer;
let schemas = 0;
const hasServer = serverPrograms() !== null;
beforeAll(async () => {
  if (hasServer) postgres = await postgresServer();
  else console.warn('There is no PostgreSQL server on this machine: its tests are skipped.');
});
afterAll(() => postgres?.remove());

describe.skipIf(!hasServer)('over PostgreSQL', () => {
  it('gateways, also one without a disk, answer byte for byte as the embedded index does', async () => {
    await team();
    const shared = await gateway('a');
    const other = await gateway('b', '--set', 'store.cache=memory', '--set', 'store.role=reader');
    await ready(shared);
    await ready(other);
    const embedded = await serveHttp(place, null, '--config', noStore());
    await expect.poll(() => textOf(search(embedded, QUERIES[0]!)), SOON).not.toContain('still being checked');
    const asked: [string, Record<string, unknown>][] = [
      ...QUERIES.map((query): [string, Record<string, unknown>] => ['search_skills', { query, top_k: 10 }]),
      ['load_skill', { skill: 'email-deliverability' }],
      ['read_reference', { skill: 'email-deliverability', path: 'references/bounce-codes.md' }],
      ['read_reference', { skill: 'email-deliverability', path: 'references/none.md' }],
      ['list_skills', { limit: 50 }],
    ];
    for (const [name, args] of asked) {
      const expected = JSON.parse(
        JSON.stringify(untimed(await call(embedded, name, args))).replaceAll(
          `${place.folder}/skills/`,
          // Gateways that share a catalog do not say in which folder of which machine a skill lies.
          'skill://all/',
        ),
      );
      expect(untimed(await call(shared, name, args)), name).toEqual(expected);
      expect(untimed(await call(other, name, args)), name).toEqual(expected);
    }
    expect(other.said()).not.toContain('is the writer');
  });

  it('is copied out whole, into folders that the embedded index serves, and cleaned up', async () => {
    await team();
    expect((await place.run('store', 'copy-in')).stdout).toBe('Generation 1 is published.\n');
    const copied = await place.run('store', 'copy-out', 'backup', '--json');
    expect(JSON.parse(copied.stdout), copied.stderr).toMatchObject({ generation: 1, missing: [] });
    const file = 'email-deliverability/references/bounce-codes.md';
    expect(readFileSync(join(place.folder, 'backup/skills/all', file), 'utf8')).toBe(
      readFileSync(join(examples, file), 'utf8'),
    );
    const found = await place.run('search', QUERIES[0]!, '--skills', 'backup/skills/all', '--json');
    expect(JSON.parse(found.stdout).hits[0].id).toBe('email-deliverability');

    rmSync(join(place.folder, 'skills/git-bisect-regression'), { recursive: true });
    await place.run('store', 'copy-in');
    await place.run('store', 'copy-in');
    const removed = await place.run('store', 'gc', '--keep', '1', '--grace', '0', '--json');
    expect(JSON.parse(removed.stdout), removed.stderr).toMatchObject({ skills: 1 });
    const again = JSON.parse((await place.run('store', 'copy-out', 'later', '--json')).stdout);
    expect(again).toMatchObject({ generation: 2, missing: [] });
    expect(existsSync(join(place.folder, 'later/skills/all/git-bisect-regression'))).toBe(false);
  });

  it('text of a deleted skill leaves the database and all copies in time', async () => {
    await team({ purgeWithin: '10s' });
    const [writer, reader] = [await gateway('a'), await gateway('b', '--set', 'store.role=reader')];
    await ready(writer);
    place.write('skills/violin/SKILL.md', skill('violin', 'Tune a violin by zorblax.'));
    await expect.poll(() => textOf(search(reader, 'tune a violin')), SOON).toContain('zorblax');
    const holding = async () => {
      const rows = await postgres.query(
        `select from team_${schemas}.chunk where position('zorblax'::bytea in data) > 0`,
      );
      const folders = ['index', 'index-a', 'cache-a', 'cache-b'].map((name) => join(place.folder, name));
      const files = folders.flatMap((folder) =>
        existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name)) : [],
      );
      return [...rows, ...files.filter((file) => readFileSync(file).includes('zorblax'))];
    };
    expect((await holding()).length).toBeGreaterThan(3);
    rmSync(join(place.folder, 'skills/violin'), { recursive: true });
    await expect.poll(holding, { ...SOON, timeout: 120_000 }).toEqual([]);
    // What is live stays, also what no gateway has loaded yet.
    const loaded = call(reader, 'load_skill', { skill: 'email-deliverability' });
    expect(await textOf(loaded)).toContain('bounce-codes');
  });

  it('a paused writer publishes nothing after another has taken over', async () => {
    await team();
    const paused = await gateway('a');
    await ready(paused);
    const second = await gateway('b');
    await ready(second);
    process.kill(paused.pid, 'SIGSTOP');
    await expect.poll(() => second.said(), SOON).toContain('This gateway is the writer');
    place.write('skills/violin/SKILL.md', skill('violin', 'Tune a violin by ear with harmonics.'));
    await expect.poll(() => textOf(search(second, 'tune a violin by ear')), SOON).toContain('Tune a violin');
    process.kill(paused.pid, 'SIGCONT');
    // It follows what the other one has published, and does not write over it.
    await expect.poll(() => textOf(search(paused, 'tune a violin by ear')), SOON).toContain('Tune a violin');
    const { lines } = JSON.parse((await place.run('store', 'status', '--json')).stdout);
    expect(lines[0].fence).toBe(2);
    expect(second.said().match(/is the writer/g)).toHaveLength(1);
  });

  it('a source whose folder is missing here is never published as empty', async () => {
    await team();
    await place.run('store', 'copy-in');
    rmSync(join(place.folder, 'skills'), { recursive: true });
    const server = await gateway('a');
    await ready(server);
    await expect.poll(() => server.said(), SOON).toContain('it cannot read all, whose skills are published');
    expect(await textOf(search(server, QUERIES[0]!))).toContain('email-deliverability');
    copySkills(place);
    await expect
      .poll(() => server.said(), SOON)
      .toMatch(/This gateway is the writer(.|\n)*This gateway is the writer/);
  });

  it('a program that uses the library reads the shared catalog; commands say that they do not', async () => {
    await team();
    await place.run('store', 'copy-in');
    const said = await place.run('search', QUERIES[0]!);
    expect(said.stdout).toContain('email-deliverability');
    expect(said.stderr).toContain('not from the shared catalog');
    // What this machine has is not what is answered from.
    rmSync(join(place.folder, 'skills'), { recursive: true });
    const { createSkillgate } = await import(pathToFileURL(join(root, 'dist/public.js')).href);
    const skillgate = await createSkillgate({
      config: join(place.folder, 'skillgate.config.json'),
      cwd: place.folder,
      index: join(place.folder, 'index-of-the-program'),
    });
    try {
      const { hits } = await skillgate.search(QUERIES[0]);
      expect(hits[0].id).toContain('email-deliverability');
      const loaded = await skillgate.load('email-deliverability');
      expect(JSON.stringify(loaded)).toContain('bounce');
    } finally {
      await skillgate.close();
    }
    expect(existsSync(join(place.folder, 'index-of-the-program'))).toBe(false);
  }, 240_000);
});

it('a configuration without store loads none of its code', async () => {
  place = workplace();
  const { stdout } = await place.shell(
    `NODE_DEBUG=esm $SKILLGATE search mail --skills ${examples} 2>&1 | grep -c 'open-shared-catalog\\|postgres' || true`,
  );
  expect(stdout.trim()).toBe('0');
});

/** The same sources without the store. */
function noStore(): string {
  return place.write(
    'embedded.json',
    JSON.stringify({ sources: [{ kind: 'local', name: 'all', root: './skills' }] }),
  );
}

/** Answers tell how long they took, and what they cost. */
function untimed(answer: unknown): unknown {
  return JSON.parse(JSON.stringify(answer).replaceAll(/"took_ms":[\d.]+/g, '"took_ms":0'));
}
