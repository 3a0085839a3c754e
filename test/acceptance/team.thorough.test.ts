/**
 * Promise: one server over HTTP answers a team from repositories, other servers and a site at once, each of its people by
 * what the policy allows; each source may die and come back without loss of a skill.
 */

import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type IssuerServer, issuerServer } from '../src/serve/http/auth/issuer-server.ts';
import { ask, post } from '../src/serve/stdio/ask.ts';
import { type Workplace, workplace } from './command.ts';
import { type HttpServer, serveHttp } from './http-server.ts';
import { catalogPeer, draftPeer, type Origin, repository, website } from './team/origins.ts';
import { HIDDEN, NAMES, type Name, OPEN, TEAM } from './team/skills.ts';

/** Generous: polled, never slept through. A failing source is asked again after 1, 2, 4, 8… s. */
const PATIENCE = { timeout: 60_000, interval: 200 };
/** For a test that waits two or three times. */
const LONG = 240_000;
const AUDIENCE = 'https://skills.example/mcp';

let place: Workplace;
let issuer: IssuerServer;
let server: HttpServer;
let origins: Readonly<Record<Name, Origin>>;
/** Of Ada, who leads: she sees everything and calls tools. */
let ada: Client;
/** Of Bo, who is denied one source and all tools. */
let bo: Client;

beforeAll(async () => {
  place = workplace();
  issuer = await issuerServer({ audience: AUDIENCE });
  origins = {
    playbooks: repository(place, 'playbooks', TEAM.playbooks.skill),
    vault: repository(place, 'vault', TEAM.vault.skill),
    studio: await catalogPeer(place, 'studio', TEAM.studio.skill),
    bakery: draftPeer(place, 'bakery', TEAM.bakery.skill),
    handbook: await website('handbook', TEAM.handbook.skill),
  };
  place.write(
    'skillgate.config.json',
    JSON.stringify({
      refresh: '1s',
      sources: NAMES.map((name) => origins[name].config),
      http: { publicUrl: AUDIENCE },
      auth: {
        oauth: {
          issuer: issuer.issuer,
          audience: AUDIENCE,
          requiredScopes: ['skills'],
          allowPrivate: true,
        },
      },
      policy: {
        rules: [
          { who: ['scope:lead'], allow: [{}], tools: ['*'] },
          { who: ['bo'], allow: [{ sources: ['*'] }], deny: [{ sources: [HIDDEN] }] },
        ],
      },
      tools: { gate: 'loaded' },
      // The limit must not apply to polling.
      limits: { callsPerMinute: 100_000 },
    }),
  );
  server = await serveHttp(place, null);
  ada = await clientOf('ada', 'skills lead');
  bo = await clientOf('bo', 'skills');
}, LONG);

afterAll(async () => {
  await Promise.all([ada?.close(), bo?.close()]);
  const ended = await server?.end();
  await Promise.all(Object.values(origins ?? {}).map((origin) => origin.close?.()));
  await issuer?.close();
  place?.remove();
  expect(ended?.code).toBe(0);
  expect(ended?.stderr).not.toMatch(/eyJ[\w-]{10}/);
}, LONG);

const tokenOf = (sub: string, scope: string) => issuer.token({ sub, scope, expiresIn: 3_600 });

async function clientOf(sub: string, scope: string): Promise<Client> {
  const token = await tokenOf(sub, scope);
  const client = new Client({ name: 'acceptance', version: '1' }, { versionNegotiation: { mode: 'auto' } });
  const transport = new StreamableHTTPClientTransport(new URL(server.url), {
    authProvider: { token: async () => token },
  });
  await client.connect(transport);
  return client;
}

const call = (client: Client, name: string, args: Record<string, unknown>) =>
  client.callTool({ name, arguments: args });
const load = (client: Client, skill: string) => call(client, 'load_skill', { skill });
const notes = (client: Client, skill: string) =>
  call(client, 'read_reference', { skill, path: 'references/notes.md' });
const start = (client: Client) =>
  call(client, 'use_tool', { server: 'studio', tool: 'kiln_start', arguments: { cone: 6 } });

/** Descriptions of the hits of a search, by id. */
async function found(client: Client, query: string): Promise<Readonly<Record<string, string>>> {
  const { structuredContent } = await call(client, 'search_skills', { query, top_k: 20, detail: true });
  const { hits = [] } = (structuredContent ?? {}) as {
    hits?: { detail: { full_id: string; description: string } }[];
  };
  return Object.fromEntries(hits.map(({ detail }) => [detail.full_id, detail.description]));
}

/** The edition of a skill as search, load and read report it, so that one poll sees a whole edition. */
async function said(client: Client, name: Name): Promise<string> {
  const { id, query } = TEAM[name];
  const answers = await Promise.all([found(client, query), load(client, id), notes(client, id)]);
  const [hits, loaded, read] = answers;
  return JSON.stringify([hits[id], loaded.structuredContent, read.structuredContent]);
}
const whole = (edition: string) =>
  new RegExp(
    `The ${edition} edition\\..*This is the ${edition} edition\\..*Notes of the ${edition} edition\\.`,
  );

/** Names of the sources that are marked stale. */
async function stale(): Promise<string[]> {
  const authorization = `Bearer ${await tokenOf('prometheus', 'skills metrics')}`;
  const { text } = await ask(`${new URL(server.url).origin}/metrics`, { headers: { authorization } });
  const marks = text.matchAll(/^skillgate_source_stale\{source="([^"]+)",kind="[^"]+"\} 1$/gm);
  return Array.from(marks, ([, name = '']) => name).sort();
}

describe('a team with sources of every kind', () => {
  it(
    'finds, loads and reads the skills of every source, each person those that they may see',
    async () => {
      for (const name of NAMES) await expect.poll(() => said(ada, name), PATIENCE).toMatch(whole('first'));
      for (const name of OPEN) await expect.poll(() => said(bo, name), PATIENCE).toMatch(whole('first'));
      await expect.poll(stale, PATIENCE).toEqual([]);
    },
    LONG,
  );

  it(
    'calls a tool that a loaded skill names only for permitted principals',
    async () => {
      expect(JSON.stringify(await load(ada, TEAM.studio.id))).toContain('"tool":"kiln_start"');
      expect(await start(ada)).toMatchObject({ structuredContent: { celsius: 1_006 } });
      expect(JSON.stringify(await load(bo, TEAM.studio.id))).not.toContain('"tool":"kiln_start"');
      expect((await start(bo)).structuredContent).toMatchObject({ error: { code: 'TOOL_REFUSED' } });
    },
    LONG,
  );

  it(
    'hides the closed source from principals without access, through every interface',
    expectNothingHidden,
    LONG,
  );
});

async function expectNothingHidden(): Promise<void> {
  const { id, query } = TEAM[HIDDEN];
  const unknown = { structuredContent: { error: { code: 'SKILL_UNKNOWN' } } };
  expect(await load(bo, id)).toMatchObject(unknown);
  expect(await notes(bo, id)).toMatchObject(unknown);
  const lists = [
    await found(bo, query),
    (await call(bo, 'list_skills', {})).structuredContent,
    await bo.listResources(),
    await bo.listTools(),
    bo.getInstructions(),
  ];
  expect(JSON.stringify(lists)).toContain(TEAM.playbooks.skill.name);
  expect(JSON.stringify(lists)).not.toMatch(/vault|payslips/i);
}

describe('an origin that dies and comes back', () => {
  it.each(NAMES)(
    'costs nobody a skill, and brings its change: %s',
    async (name) => {
      const readers = name === HIDDEN ? [ada] : [ada, bo];
      await origins[name].down();
      await expect.poll(stale, PATIENCE).toContain(name);
      for (const reader of readers) expect(await said(reader, name)).toMatch(whole('first'));
      await origins[name].up();
      for (const reader of readers)
        await expect.poll(() => said(reader, name), PATIENCE).toMatch(whole('second'));
      await expect.poll(stale, PATIENCE).not.toContain(name);
      await expectNothingHidden();
    },
    LONG,
  );

  it(
    'has its tools called again',
    async () => {
      await expect.poll(() => start(ada), PATIENCE).toMatchObject({ structuredContent: { celsius: 1_006 } });
      expect((await start(bo)).structuredContent).toMatchObject({ error: { code: 'TOOL_REFUSED' } });
    },
    LONG,
  );

  it(
    'may be the issuer: its known keys go on, and its new ones are taken once it is back',
    async () => {
      issuer.behave((_, response) => {
        response.destroy();
        return true;
      });
      const later = await clientOf('ada', 'skills lead');
      expect(await said(later, 'handbook')).toMatch(whole('second'));
      await later.close();
      await issuer.rotate();
      issuer.behave(null);
      const authorization = `Bearer ${await tokenOf('ada', 'skills lead')}`;
      const list = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
      const status = async () => (await post(server.url, list, { authorization })).status;
      await expect.poll(status, { ...PATIENCE, interval: 1_000 }).toBe(200);
    },
    LONG,
  );
});
