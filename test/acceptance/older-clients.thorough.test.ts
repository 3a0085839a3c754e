/**
 * Promise: a client of the SDK's older major version, which supports revisions up to 2025-11-25, works over stdio with
 * the drafts and with the tools of every profile, and over HTTP in a session. The command line prints the same as the prompts.
 */

import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ResourceListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { endWithTest } from '../end-with-test.ts';
import { post } from '../src/serve/stdio/ask.ts';
import { examples, freshWorkplace, prepareIndex, skillFile } from './command.ts';
import { serveHttp } from './http-server.ts';

const place = freshWorkplace();

async function connect(skills: string, ...options: string[]): Promise<Client> {
  const client = new Client({ name: 'older', version: '1' });
  const index = join(place.folder, 'index');
  await prepareIndex(skills, index);
  const server = place.server('--skills', skills, '--index', index, ...options);
  endWithTest(() => client.close());
  await client.connect(new StdioClientTransport(server));
  return client;
}

const listSchema = z.object({
  skills: z.array(
    z.looseObject({
      uri: z.string(),
      name: z.string(),
      description: z.string(),
      frontmatter: z.looseObject({}),
    }),
  ),
  nextCursor: z.string().optional(),
});
const readSchema = z.object({ skill: z.looseObject({ name: z.string(), instructions: z.string() }) });
const getSchema = z.looseObject({
  description: z.string(),
  instructions: z.string(),
  files: z.array(
    z.object({ name: z.string(), uri: z.string(), mimeType: z.string(), required: z.boolean() }),
  ),
});

describe('a client of the older SDK', () => {
  it('lists, reads and gets skills in the drafts and reads their files', async () => {
    const client = await connect(examples);
    const { skills } = await client.request({ method: 'skills/list', params: {} }, listSchema);
    expect(skills.length).toBeGreaterThan(20);
    const { name } = skills.find((skill) => skill.name === 'email-deliverability') ?? { name: '' };
    const { skill } = await client.request({ method: 'skills/read', params: { name } }, readSchema);
    expect(skill.instructions).toMatch(/^# E-mail deliverability/);
    const got = await client.request({ method: 'skills/get', params: { name } }, getSchema);
    expect(got.instructions).toBe(skill.instructions);
    const codes = got.files.find((file) => file.name === 'references/bounce-codes.md');
    const { contents } = await client.readResource({ uri: codes?.uri ?? '' });
    expect(JSON.stringify(contents)).toContain('5.7.515');
    await expect(
      client.request({ method: 'skills/read', params: { name: 'none' } }, readSchema),
    ).rejects.toMatchObject({ code: -32002, data: { name: 'none' } });
  });
});

describe('a client of the older SDK over HTTP', () => {
  it('is notified of changes on the stream of its session, and ends the session', async () => {
    place.write('skills/kiln/SKILL.md', skillFile('kiln', 'Fire stoneware in an electric kiln.'));
    const server = await serveHttp(place, join(place.folder, 'skills'));
    const client = new Client({ name: 'older', version: '1' });
    let changes = 0;
    client.setNotificationHandler(ResourceListChangedNotificationSchema, () => {
      changes += 1;
    });
    const transport = new StreamableHTTPClientTransport(new URL(server.url));
    await client.connect(transport);
    expect(transport.sessionId).toMatch(/^[\w-]{32}$/);
    expect(client.getServerCapabilities()?.resources).toMatchObject({ listChanged: true });
    expect(client.getServerCapabilities()?.resources).not.toHaveProperty('subscribe');
    await client.listResources();
    // The watch of the folders starts a little after the first answer.
    await expect
      .poll(
        async () => {
          place.write(
            `skills/more-${Date.now()}/SKILL.md`,
            skillFile(`more-${Date.now()}`, 'Fill in PDF forms.'),
          );
          await client.callTool({ name: 'list_skills', arguments: {} });
          return changes;
        },
        { interval: 1_000 },
      )
      .toBeGreaterThan(0);
    const headers = { 'mcp-session-id': transport.sessionId ?? '' };
    await transport.terminateSession();
    const ping = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' });
    expect((await post(server.url, ping, headers)).status).toBe(404);
  });
});
