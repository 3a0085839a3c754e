/** A client of a server in the same process, for tests that do not depend on the transport. */

import { Client } from '@modelcontextprotocol/client';
import type { Server as OlderServer } from '@modelcontextprotocol/sdk/server/index.js';
import { InMemoryTransport, type JSONRPCMessage, type McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { FetchContext } from '../../extensions/remote-sources/mcp/fetch-context.ts';
import { listSkills } from '../../extensions/remote-sources/mcp/strategies.ts';
import { type HostileServer, replyOf } from './hostile.ts';

async function clientOn(near: InMemoryTransport): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: 'auto' } });
  await client.connect(near);
  return client;
}

export async function onServer(make: () => McpServer | Promise<McpServer>): Promise<Client> {
  const [near, far] = InMemoryTransport.createLinkedPair();
  serveStdio(make, { transport: far });
  return clientOn(near);
}

export async function onOlderServer(server: OlderServer): Promise<Client> {
  const [near, far] = InMemoryTransport.createLinkedPair();
  await server.connect(far as never);
  return clientOn(near);
}

export async function onHostileServer(server: HostileServer): Promise<Client> {
  const [near, far] = InMemoryTransport.createLinkedPair();
  far.onmessage = async (message) => {
    const reply = await replyOf(server, message);
    if (reply !== null) await far.send(JSON.parse(reply) as JSONRPCMessage);
  };
  await far.start();
  return clientOn(near);
}

/** Every skill with its files as text, or the reason for its refusal. */
export async function readAll(client: Client, maxBytes = 2 ** 30) {
  const context = new FetchContext(client, new AbortController().signal, maxBytes, 'all');
  const all: Record<string, Record<string, string> | string> = {};
  for await (const { at, read } of listSkills(context))
    all[at] = await read().then(
      ({ files }) =>
        Object.fromEntries([...files].map(([path, bytes]) => [path, Buffer.from(bytes).toString('utf8')])),
      (error: Error) => `${error.name}: ${error.message}`,
    );
  await client.close();
  return all;
}
