/**
 * Attack: have a script run without the user's consent, through a transport or revision that cannot ask. A client that
 * declares elicitation is asked before every run; a client that does not is served as `scripts.confirm` says.
 */

import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as OldStdio } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as OldHttp } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { type Workplace, workplace } from '../acceptance/command.ts';
import { type HttpServer, serveHttp } from '../acceptance/http-server.ts';
import { SWITCHED_ON, sandboxed, writeSkill } from '../acceptance/script-server.ts';
import { endWithTest } from '../end-with-test.ts';
import { post } from '../src/serve/stdio/ask.ts';

const CALL = { name: 'run_script', arguments: { skill: 'greeter', script: 'scripts/greet.sh' } };
const OUTPUT = 'the script has run';

let place: Workplace;
let server: HttpServer;
beforeAll(async () => {
  place = workplace();
  writeSkill(place, 'greeter', { 'greet.sh': `echo '${OUTPUT}'\n` });
  place.write('skillgate.config.json', JSON.stringify({ scripts: SWITCHED_ON }));
  server = await serveHttp(place, join(place.folder, 'skills'));
});
afterAll(() => server.end());

/** What the user answers; null for a client that does not declare elicitation. */
type User = 'accept' | 'decline' | null;
type Transport = 'stdio' | 'http';

const command = () => place.server('--skills', 'skills', '--index', 'index');

const reply = (user: Exclude<User, null>) =>
  user === 'accept' ? { action: user, content: { run: true } } : { action: user };
const capabilitiesOf = (user: User) => (user === null ? {} : { elicitation: {} });

interface Connected {
  readonly asked: string[];
  callTool(call: typeof CALL): Promise<unknown>;
}
interface ConnectedToDraft extends Connected {
  request(request: { method: string; params: Record<string, unknown> }): Promise<unknown>;
}

async function older(transport: Transport, user: User): Promise<ConnectedToDraft> {
  const client = new OldClient({ name: 'older', version: '1' }, { capabilities: capabilitiesOf(user) });
  const asked: string[] = [];
  if (user !== null)
    client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
      asked.push(params.message);
      return reply(user);
    });
  await client.connect(transport === 'stdio' ? new OldStdio(command()) : new OldHttp(new URL(server.url)));
  endWithTest(() => client.close());
  return {
    asked,
    callTool: (call) => client.callTool(call),
    request: (request) => client.request(request, z.unknown()),
  };
}

const newer =
  (mode: 'legacy' | { readonly pin: string }) =>
  async (transport: Transport, user: User): Promise<Connected> => {
    const client = new Client(
      { name: 'newer', version: '1' },
      { versionNegotiation: { mode }, capabilities: capabilitiesOf(user) },
    );
    const asked: string[] = [];
    if (user !== null)
      client.setRequestHandler('elicitation/create', ({ params }) => {
        asked.push(params.message);
        return reply(user);
      });
    const streams =
      transport === 'stdio'
        ? new StdioClientTransport(command())
        : new StreamableHTTPClientTransport(new URL(server.url));
    await client.connect(streams);
    endWithTest(() => client.close());
    return { asked, callTool: (call) => client.callTool(call) };
  };

const CLIENTS = [
  ['SDK 1', older],
  ['SDK 2 at a revision up to 2025-11-25', newer('legacy')],
  ['SDK 2 at 2026-07-28', newer({ pin: '2026-07-28' })],
] as const;

const resultSchema = z.looseObject({ isError: z.boolean().optional(), structuredContent: z.unknown() });

describe.runIf(sandboxed).each(CLIENTS)('a client of %s', (_, connect) => {
  describe.each(['stdio', 'http'] as const)('over %s', (transport) => {
    it('is asked, and nothing runs if the user declines', async () => {
      const client = await connect(transport, 'decline');
      const result = resultSchema.parse(await client.callTool(CALL));
      expect(client.asked).toEqual([expect.stringContaining('greet.sh')]);
      expect(result).toMatchObject({
        isError: true,
        structuredContent: { error: { code: 'SCRIPT_CANCELLED' } },
      });
      expect(JSON.stringify(result)).not.toContain(OUTPUT);
    });

    it('is asked for each run, and it runs once the user agrees', async () => {
      const client = await connect(transport, 'accept');
      for (const times of [1, 2]) {
        const result = resultSchema.parse(await client.callTool(CALL));
        expect(client.asked).toHaveLength(times);
        expect(result.isError).not.toBe(true);
        expect(JSON.stringify(result)).toContain(OUTPUT);
      }
    });

    it('that declares no elicitation runs it, as `when-supported` says', async () => {
      const client = await connect(transport, null);
      expect(JSON.stringify(await client.callTool(CALL))).toContain(OUTPUT);
    });
  });
});

describe.runIf(sandboxed).each(['stdio', 'http'] as const)('the draft over %s', (transport) => {
  it('asks before `skills/execute`', async () => {
    const params = { name: 'greeter', script: 'scripts/greet.sh' };
    const execute = ({ request }: ConnectedToDraft) => request({ method: 'skills/execute', params });
    const declining = await older(transport, 'decline');
    await expect(execute(declining)).rejects.toThrow('did not agree');
    const accepting = await older(transport, 'accept');
    expect(JSON.stringify(await execute(accepting))).toContain(OUTPUT);
    expect([declining.asked.length, accepting.asked.length]).toEqual([1, 1]);
  });
});

describe.runIf(sandboxed)('a session', () => {
  const headersOf = (session: string) => ({ 'mcp-session-id': session });
  const initialize = (capabilities: object) =>
    JSON.stringify({
      jsonrpc: '2.0',
      id: 0,
      method: 'initialize',
      params: {
        protocolVersion: '2025-06-18',
        capabilities,
        clientInfo: { name: 'raw', version: '1' },
      },
    });
  const call = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: CALL });

  it('that has ended or never was is no way to a run', async () => {
    const answer = await post(server.url, call, headersOf('x'.repeat(32)));
    expect(answer.status).toBe(404);
    expect(answer.text).toContain('initialize');
  });

  it('runs nothing when the client that was asked goes away', async () => {
    const opened = await post(server.url, initialize({ elicitation: {} }));
    const id = String(opened.headers['mcp-session-id']);
    const cut = new AbortController();
    const headers = {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...headersOf(id),
    };
    const answer = await fetch(server.url, { method: 'POST', headers, body: call, signal: cut.signal });
    const reader = answer.body?.getReader();
    const event = new TextDecoder().decode((await reader?.read())?.value);
    expect(event).toContain('elicitation/create');
    cut.abort();
    const [, data = '{}'] = /^data: (.*)$/m.exec(event) ?? [];
    const { id: question } = z.object({ id: z.union([z.number(), z.string()]) }).parse(JSON.parse(data));
    const late = { jsonrpc: '2.0', id: question, result: { action: 'accept', content: { run: true } } };
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect((await post(server.url, JSON.stringify(late), headersOf(id))).text).not.toContain(OUTPUT);
    // The session goes on: the next call is asked about again.
    const again = await fetch(server.url, {
      method: 'POST',
      headers,
      body: call,
      signal: AbortSignal.timeout(10_000),
    });
    const next = new TextDecoder().decode((await again.body?.getReader().read())?.value);
    expect(next).toContain('elicitation/create');
  });

  it('cannot be opened by a batch of one, whose calls would be outside of it', async () => {
    const answer = await post(server.url, `[${initialize({ elicitation: {} })}]`);
    expect(answer.headers['mcp-session-id'] === undefined && answer.status === 200).toBe(false);
  });
});
