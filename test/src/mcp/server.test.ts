/** The server on both eras, independent of the catalog. */

import { describe, expect, it } from 'vitest';
import type { Gateway } from '../../../src/gateway/gateway.ts';
import { mcpServerFactory } from '../../../src/mcp/server.ts';
import { fakeGateway, SKILLS } from './fake-gateway.ts';
import { connect, connectTo, ERAS, textOf } from './harness.ts';

const never = () => new Promise<Gateway>(() => {});

describe.each(ERAS)('the server on %s', (era) => {
  it('gives instructions that name the catalog', async () => {
    const { client } = await connect(era, fakeGateway(SKILLS));
    expect(client.getInstructions()).toContain('4 Agent Skills');
  });

  it('lists its tools before the index is open', async () => {
    const { client } = await connect(era, never, { guideTimeoutMs: 0 });
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual([
      'search_skills',
      'load_skill',
      'read_reference',
      'list_skills',
    ]);
    expect(client.getInstructions()).toContain("the user's Agent Skills");
  });

  it.each([
    ['does not open', never],
    ['does not answer', async () => ({ ...fakeGateway(SKILLS), search: () => new Promise<never>(() => {}) })],
  ])('asks a call to come back while the index is being built: the gateway %s', async (_, gateway) => {
    const { client } = await connect(era, gateway, { guideTimeoutMs: 0, callTimeoutMs: 0 });
    const result = await client.callTool({ name: 'search_skills', arguments: { query: 'x' } });
    expect(result.isError).toBe(true);
    expect(result.structuredContent).toMatchObject({ error: { code: 'NOT_READY' } });
    expect(textOf(result)).toContain('again in a few seconds');
  });

  it('answers an unknown tool with an error and stays up', async () => {
    const { client } = await connect(era, fakeGateway(SKILLS));
    for (const name of ['no_such_tool', 'constructor', '__proto__'])
      await expect(client.callTool({ name, arguments: {} })).rejects.toThrow(name);
    expect(await client.callTool({ name: 'list_skills', arguments: {} })).not.toHaveProperty('isError', true);
  });

  it('hides the details of an unexpected error from the client, and logs them', async () => {
    const broken = { ...fakeGateway(SKILLS), list: () => Promise.reject(new Error('secret at /home/me')) };
    const { client, logged } = await connect(era, broken);
    const result = await client.callTool({ name: 'list_skills', arguments: {} });
    expect(result.structuredContent).toMatchObject({ error: { code: 'INTERNAL' } });
    expect(JSON.stringify(result)).not.toMatch(/secret|\/home|at .*\.ts/);
    expect(logged.join('\n')).toContain('list_skills: Error: secret at /home/me');
  });
});

describe('mcpServerFactory', () => {
  it('writes its texts for the first client: a catalog that opens later does not change them', async () => {
    let open: (gateway: Gateway) => void = () => {};
    const late = new Promise<Gateway>((resolve) => {
      open = resolve;
    });
    const factory = mcpServerFactory({
      gateway: () => late,
      version: '0',
      log: () => {},
      guideTimeoutMs: 0,
    });
    const first = await connectTo(factory, 'legacy');
    open(fakeGateway(SKILLS));
    const second = await connectTo(factory, '2026-07-28');
    expect(second.client.getInstructions()).toBe(first.client.getInstructions());
    const [before, after] = [await first.client.listTools(), await second.client.listTools()];
    expect(after.tools).toEqual(before.tools);
    const result = await second.client.callTool({ name: 'list_skills', arguments: {} });
    expect(result.structuredContent).toMatchObject({ total: 4 });
  });

  it('reads the summary once for all servers', async () => {
    let asked = 0;
    const gateway: Gateway = {
      ...fakeGateway(SKILLS),
      summary: () => {
        asked += 1;
        return fakeGateway(SKILLS).summary();
      },
    };
    const factory = mcpServerFactory({ gateway: async () => gateway, version: '0', log: () => {} });
    await Promise.all([factory(), factory(), factory()]);
    expect(asked).toBe(1);
  });

  it('works without a gateway that opens', async () => {
    const failing = () => {
      throw new Error('no disk');
    };
    const { client } = await connect('legacy', failing);
    const result = await client.callTool({ name: 'list_skills', arguments: {} });
    expect(result.structuredContent).toMatchObject({ error: { code: 'INTERNAL' } });
  });
});
