/** A client of the protocol's SDK. */

import { pathToFileURL } from 'node:url';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport, type StdioServerParameters } from '@modelcontextprotocol/client/stdio';

/** Connects to a URL, or to a server that it starts. */
export async function connected(
  to: string | StdioServerParameters,
  { mode, headers, roots }: ConnectOptions = {},
): Promise<Client> {
  const client = new Client(
    { name: 'acceptance', version: '1' },
    { ...(mode && { versionNegotiation: { mode } }), ...(roots && { capabilities: { roots: {} } }) },
  );
  if (roots !== undefined)
    client.setRequestHandler('roots/list', () => ({
      roots: roots.map((folder) => ({ uri: pathToFileURL(folder).href })),
    }));
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
  /** Folders that it has open. Servers ask for them in mode `legacy`. */
  readonly roots?: readonly string[];
}
