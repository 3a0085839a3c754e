/**
 * Promise: over HTTP, agents of both protocol eras and of the older SDK search, load, read and verify skills from one
 * server, are notified of changes, and lose no answers at shutdown.
 */

import { SkillsClient } from '@modelcontextprotocol/client/ext/skills';
import { Client as OlderClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as OlderTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { connected } from './client.ts';
import { examples, skillFile, type Workplace, workplace } from './command.ts';
import { type HttpServer, serveHttp } from './http-server.ts';

const QUERY = 'Microsoft returns 550 5.7.515 to our bulk mails although SPF passes';

interface Search {
  readonly hits: readonly { readonly id: string }[];
}
interface Load {
  readonly references: readonly string[];
}

describe('one server over the example skills', () => {
  let place: Workplace;
  let server: HttpServer;
  beforeAll(async () => {
    place = workplace();
    server = await serveHttp(place, examples);
  });
  afterAll(async () => {
    expect((await server.end()).code).toBe(0);
  });

  async function connect(mode: 'legacy' | 'auto' | { pin: string }) {
    const client = await connected(server.url, { mode });
    // After this the client validates every structured answer against the tool's schema.
    await client.listTools();
    return client;
  }

  describe.each(['legacy', 'auto', { pin: '2026-07-28' }] as const)('a client that negotiates %j', (mode) => {
    it('searches, loads and reads', async () => {
      const client = await connect(mode);
      const call = async (name: string, args: Record<string, unknown>) => {
        const result = await client.callTool({ name, arguments: args });
        expect(result.isError).not.toBe(true);
        return result;
      };
      const found = (await call('search_skills', { query: QUERY })).structuredContent as unknown as Search;
      const skill = found.hits[0]?.id;
      expect(skill).toBe('email-deliverability');
      const loaded = (await call('load_skill', { skill })).structuredContent as unknown as Load;
      const path = 'references/bounce-codes.md';
      expect(loaded.references).toContain(path);
      expect(JSON.stringify((await call('read_reference', { skill, path })).content)).toContain('5.7.515');
    });

    it('verifies every byte of every skill through the Skills extension', async () => {
      const client = await connect(mode);
      const skills = new SkillsClient(client);
      const { skills: listed } = await skills.list();
      expect(listed).toHaveLength(32);
      for (const skill of listed) expect(await skills.read(skill)).toMatchObject({ verified: true });
    });
  });

  it('serves no page and no registry unless they are configured', async () => {
    for (const path of ['/explore/', '/.well-known/ai-catalog.json', '/ard/api/search', '/ard/api/agents'])
      expect((await fetch(new URL(path, server.url))).status).toBe(404);
  });

  it('answers the client of the older SDK, which validates structured answers differently', async () => {
    const client = new OlderClient({ name: 'acceptance', version: '1' });
    // The older SDK's types conflict with exactOptionalPropertyTypes: its `sessionId` may be undefined.
    const transport: unknown = new OlderTransport(new URL(server.url));
    await client.connect(transport as Parameters<OlderClient['connect']>[0]);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toContain('search_skills');
    const call = (name: string, args: Record<string, unknown>) => client.callTool({ name, arguments: args });
    expect(await call('search_skills', { query: QUERY })).toMatchObject({
      structuredContent: { hits: [{ id: 'email-deliverability' }, ...Array(4).fill({})] },
    });
    expect(await call('load_skill', { skill: 'no-such-skill' })).toMatchObject({
      isError: true,
      structuredContent: { error: { code: 'SKILL_UNKNOWN' } },
    });
    const uri = 'skill://examples/email-deliverability/SKILL.md';
    expect((await client.listResources()).resources.map((resource) => resource.uri)).toContain(uri);
    expect(await client.readResource({ uri })).toMatchObject({
      contents: [{ uri, mimeType: 'text/markdown' }],
    });
    await client.close();
  });
});

describe('a server', () => {
  let place: Workplace;
  beforeEach(() => {
    place = workplace();
  });

  it('notifies a subscriber of a changed catalog, and ends its subscription at shutdown', async () => {
    place.write('skills/pdf-forms/SKILL.md', skillFile('pdf-forms', 'Fill in PDF forms.'));
    const server = await serveHttp(place, 'skills');
    const client = await connected(server.url, { mode: { pin: '2026-07-28' } });
    const names = async () => (await client.listResources()).resources.map(({ name }) => name);
    expect(await names()).toEqual(['pdf-forms']);
    let announced = 0;
    client.setNotificationHandler('notifications/resources/list_changed', () => {
      announced += 1;
    });
    const subscription = await client.listen({ resourcesListChanged: true });
    // Watching starts shortly after the server; each write is a change that may be announced.
    await expect
      .poll(
        () => {
          place.write('skills/kiln/SKILL.md', skillFile('kiln', `Fire stoneware, take ${announced}.`));
          return announced;
        },
        { interval: 500 },
      )
      .toBeGreaterThan(0);
    await expect.poll(async () => (await new SkillsClient(client).list()).skills.length).toBe(2);
    expect(await server.end()).toMatchObject({ code: 0, stdout: '' });
    await subscription.closed;
  });

  it('refuses a public address without authentication', async () => {
    const outcome = await place.run('serve', '--http', '--host', '0.0.0.0', '--skills', examples);
    expect(outcome).toMatchObject({ code: 2, stdout: '' });
    expect(outcome.stderr).toContain('Other machines can reach 0.0.0.0');
  });

  it.each([
    [['--http', '--port', '70000'], '70000 is not a port'],
    [['--http', '--port', 'x'], 'whole number'],
    [['--port', '3000'], '--port and --host belong to --http'],
  ])('refuses %j', async (args, message) => {
    const outcome = await place.run('serve', ...args, '--skills', examples);
    expect(outcome.code).toBe(2);
    expect(outcome.stderr).toContain(message);
  });
});
