/** A client of the protocol's SDK, which is closed with the test that opens it. */

import { Client, type ClientCapabilities, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport, type StdioServerParameters } from '@modelcontextprotocol/client/stdio';
import { endWithTest } from '../end-with-test.ts';

/** Connects to a URL, to a server that it starts, or over a transport to one. */
export async function connected(
  to: string | StdioServerParameters | StdioClientTransport,
  { mode, headers, capabilities = {} }: ConnectOptions = {},
): Promise<Client> {
  const options = { capabilities, ...(mode && { versionNegotiation: { mode } }) };
  const client = new Client({ name: 'acceptance', version: '1' }, options);
  endWithTest(() => client.close());
  if (typeof to === 'string')
    await client.connect(new StreamableHTTPClientTransport(new URL(to), { requestInit: { headers } }));
  else await client.connect(to instanceof StdioClientTransport ? to : new StdioClientTransport(to));
  return client;
}

interface ConnectOptions {
  readonly mode?: 'legacy' | 'auto' | { readonly pin: string };
  readonly headers?: Record<string, string>;
  readonly capabilities?: ClientCapabilities;
}
