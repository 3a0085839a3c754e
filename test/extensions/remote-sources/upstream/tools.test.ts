import type { Client } from '@modelcontextprotocol/client';
import { describe, expect, it } from 'vitest';
import type { UpstreamConnection } from '../../../../extensions/remote-sources/upstream/connection.ts';
import { ServerTools } from '../../../../extensions/remote-sources/upstream/tools.ts';
import { UpstreamError } from '../../../../src/sources/upstream.ts';
import { onHostileServer } from '../../../peers/in-memory.ts';

const FIRE = { name: 'fire', inputSchema: { type: 'object' } };

/** A connection whose list the test controls; `tell` sends its notification of a change. */
async function toolsOver(list: () => unknown, now = () => 0) {
  let notice = () => {};
  let asked = 0;
  let up = true;
  const client: Client = await onHostileServer({
    capabilities: { tools: {} },
    answer(method) {
      if (method !== 'tools/list') return undefined;
      asked += 1;
      return list();
    },
  });
  const peer: Pick<UpstreamConnection, 'use' | 'onNotification'> = {
    use: async (work) => {
      if (!up) throw new UpstreamError('UPSTREAM_UNREACHABLE', 'It is away.');
      return work(client);
    },
    onNotification(_, listener) {
      notice = listener;
      return () => {};
    },
  };
  return {
    tools: new ServerTools(peer, { refreshMs: 1_000, now }),
    tell: () => notice(),
    asked: () => asked,
    away: () => {
      up = false;
    },
  };
}

describe('ServerTools', () => {
  it('fetches the list once while it is fresh, and again after its time or a notification', async () => {
    let now = 0;
    const { tools, tell, asked } = await toolsOver(
      () => ({ tools: [FIRE] }),
      () => now,
    );
    await Promise.all([tools.list(), tools.list()]);
    await tools.list();
    expect(asked()).toBe(1);
    now = 1_000;
    await tools.list();
    expect(asked()).toBe(2);
    tell();
    await tools.list();
    expect(asked()).toBe(3);
  });

  it('leaves out invalid and too long declarations', async () => {
    const long = { ...FIRE, name: 'long', description: 'x'.repeat(300_000) };
    const { tools } = await toolsOver(() => ({ tools: [null, { name: 7 }, { name: 'bare' }, long, FIRE] }));
    expect((await tools.list()).map(({ name }) => name)).toEqual(['fire']);
  });

  it('gives the last list while the server is away, and fails if there is none', async () => {
    let now = 0;
    const { tools, away } = await toolsOver(
      () => ({ tools: [FIRE] }),
      () => now,
    );
    await tools.list();
    away();
    now = 5_000;
    expect((await tools.list()).map(({ name }) => name)).toEqual(['fire']);
    const never = await toolsOver(() => ({ tools: [] }));
    never.away();
    await expect(never.tools.list()).rejects.toMatchObject({ code: 'UPSTREAM_UNREACHABLE' });
  });

  it('accepts at most 2,000 tools, and no endless pages', async () => {
    const many = await toolsOver(() => ({
      tools: Array.from({ length: 2_001 }, (_, at) => ({ ...FIRE, name: `tool-${at}` })),
    }));
    await expect(many.tools.list()).rejects.toMatchObject({ code: 'UPSTREAM_FLOOD' });
    const endless = await toolsOver(() => ({ tools: [], nextCursor: 'again' }));
    await expect(endless.tools.list()).rejects.toMatchObject({ code: 'UPSTREAM_FLOOD' });
  });
});
