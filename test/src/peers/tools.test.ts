import type { Client } from '@modelcontextprotocol/client';
import { describe, expect, it } from 'vitest';
import { PeerError } from '../../../src/peers/errors.ts';
import type { Peer } from '../../../src/peers/peer.ts';
import { PeerTools } from '../../../src/peers/tools.ts';
import { onHostileServer } from '../../peers/in-memory.ts';

const FIRE = { name: 'fire', inputSchema: { type: 'object' } };

/** A peer whose list is the test's; `tell` is its notice of a change. */
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
  const peer: Pick<Peer, 'use' | 'onNotice'> = {
    use: async (work) => {
      if (!up) throw new PeerError('PEER_UNREACHABLE', 'It is away.');
      return work(client);
    },
    onNotice(_, listener) {
      notice = listener;
      return () => {};
    },
  };
  return {
    tools: new PeerTools(peer, { refreshMs: 1_000, now }),
    tell: () => notice(),
    asked: () => asked,
    away: () => {
      up = false;
    },
  };
}

describe('PeerTools', () => {
  it('asks for the list once while it is fresh, and again after its time or a notice', async () => {
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

  it('leaves out declarations that are none, or too long', async () => {
    const long = { ...FIRE, name: 'long', description: 'x'.repeat(300_000) };
    const { tools } = await toolsOver(() => ({ tools: [null, { name: 7 }, { name: 'bare' }, long, FIRE] }));
    expect((await tools.list()).map(({ name }) => name)).toEqual(['fire']);
  });

  it('gives the last list while the server is away, and fails where there is none', async () => {
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
    await expect(never.tools.list()).rejects.toMatchObject({ code: 'PEER_UNREACHABLE' });
  });

  it('takes 2,000 tools at most, and no pages without end', async () => {
    const many = await toolsOver(() => ({
      tools: Array.from({ length: 2_001 }, (_, at) => ({ ...FIRE, name: `tool-${at}` })),
    }));
    await expect(many.tools.list()).rejects.toMatchObject({ code: 'PEER_FLOOD' });
    const endless = await toolsOver(() => ({ tools: [], nextCursor: 'again' }));
    await expect(endless.tools.list()).rejects.toMatchObject({ code: 'PEER_FLOOD' });
  });
});
