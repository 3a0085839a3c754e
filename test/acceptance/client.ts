/** A client of the protocol's SDK. */

import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport, type StdioServerParameters } from '@modelcontextprotocol/client/stdio';

/** Connects to a URL, or to a server that it starts. */
export async function connected(
  to: string | StdioServerParameters,
  { mode, headers }: ConnectOptions = {},
): Promise<Client> {
  const client = new Client({ name: 'acceptance', version: '1' }, mode && { versionNegotiation: { mode } });
  await client.connect(
    typeof to === 'string'
      ? new StreamableHTTPClientTransport(new URL(to), { requestInit: { headers } })
      : new StdioClientTransport(to),
  );
  return client;
}

interface ConnectOptions {
  readonly mode?: 'legacy' | 'auto' | { readonly pin: string };
  readonly headers?: Record<string, string>;
}
