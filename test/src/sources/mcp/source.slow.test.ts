import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { mcpSource } from '../../../../src/sources/mcp/source.ts';
import { describeFetchedSource, fetchOptions } from '../../../contracts/fetched-source.ts';
import { heldOverHttp, heldProgram } from '../../../peers/held-origin.ts';
import { type HostileServer, lyingServer, replyOf } from '../../../peers/hostile.ts';
import { plant } from '../scan/tree.ts';

describeFetchedSource('mcpSource on pipes', heldProgram);
describeFetchedSource('mcpSource over HTTP', heldOverHttp);

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** A source over a server on loopback whose answers the test controls. */
async function sourceOver(server: HostileServer) {
  const asked: string[] = [];
  const site = createServer((request, response) => {
    if (request.method !== 'POST') {
      response.writeHead(405).end();
      return;
    }
    let body = '';
    request.on('data', (piece) => {
      body += piece;
    });
    request.on('end', async () => {
      const message = JSON.parse(body);
      asked.push(`${message.method} ${message.params?.uri ?? ''}`.trim());
      const reply = await replyOf(server, message);
      response.writeHead(reply === null ? 202 : 200, { 'content-type': 'application/json' }).end(reply ?? '');
    });
  });
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
  const { port } = site.address() as AddressInfo;
  const source = mcpSource({
    ...fetchOptions(plant({})),
    url: `http://127.0.0.1:${port}/mcp`,
    allowPrivate: true,
  });
  closing.push(
    () => site.close(),
    () => site.closeAllConnections(),
    () => source.close(),
  );
  return { source, asked };
}

describe('mcpSource', () => {
  it('keeps the last accepted version of a skill if a later one fails its check, and reports it', async () => {
    const { answer, ...server } = lyingServer();
    let honest = true;
    const { source } = await sourceOver({
      ...server,
      async answer(method, params) {
        if (!honest) {
          // Another size makes another version.
          const text = JSON.stringify((await answer(method, params)) ?? null);
          return JSON.parse(text.replaceAll('"size":18', '"size":19')) ?? undefined;
        }
        return method === 'resources/read' && String(params.uri).endsWith('a.md')
          ? { contents: [{ uri: params.uri, text: 'What was promised.' }] }
          : answer(method, params);
      },
    });
    await source.refresh();
    const idsOf = async () => (await source.scan()).folders.map(({ id }) => id);
    expect(await idsOf()).toEqual(['h/honest', 'h/lying']);
    honest = false;
    expect(await source.refresh()).toBe(false);
    expect(source.status().failure).toBeNull();
    expect(await idsOf()).toEqual(['h/honest', 'h/lying']);
    const { diagnostics } = await source.scan();
    expect(diagnostics).toMatchObject([
      { id: 'skill-refused', message: expect.stringContaining('was not updated') },
    ]);
  });

  it('reads only skills again that the list shows as changed', async () => {
    const { source, asked } = await sourceOver(lyingServer());
    await source.refresh();
    expect(asked).toContain('resources/read skill://h/honest/SKILL.md');
    asked.length = 0;
    await source.refresh();
    expect(asked).toContain('skills/list');
    expect(asked).not.toContain('resources/read skill://h/honest/SKILL.md');
  });

  it('refuses a private address, and says how to allow it', async () => {
    const source = mcpSource({ ...fetchOptions(plant({})), url: 'https://127.0.0.1:1/mcp' });
    closing.push(() => source.close());
    expect(await source.refresh()).toBe(false);
    expect(source.status().failure).toContain('allowPrivate');
  });
});
