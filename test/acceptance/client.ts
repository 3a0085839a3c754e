/** A client of the protocol's SDK, which is closed with the test that opens it. */

import { pathToFileURL } from 'node:url';
import { Client, type ClientCapabilities, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport, type StdioServerParameters } from '@modelcontextprotocol/client/stdio';
import { endWithTest } from '../end-with-test.ts';

/** Connects to a URL, to a server that it starts, or over a transport to one. */
export async function connected(
  to: string | StdioServerParameters | StdioClientTransport,
  { mode, headers, roots, capabilities = roots && { roots: {} } }: ConnectOptions = {},
): Promise<Client> {
  const client = new Client(
    { name: 'acceptance', version: '1' },
    { ...(mode && { versionNegotiation: { mode } }), ...(capabilities && { capabilities }) },
  );
  if (roots !== undefined)
    client.setRequestHandler('roots/list', () => ({
      roots: roots.map((folder) => ({ uri: pathToFileURL(folder).href })),
    }));
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
  /** Folders that it has open. Servers ask for them in mode `legacy`. */
  readonly roots?: readonly string[];
}
