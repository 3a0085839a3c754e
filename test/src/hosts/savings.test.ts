import { describe, expect, it } from 'vitest';
import { hostOf } from '../../../src/hosts/hosts.ts';
import { listingOf } from '../../../src/hosts/listing.ts';
import { hostSavings, ownTokens, usedIn } from '../../../src/hosts/savings.ts';
import type { LoggedCall } from '../../../src/serve/telemetry/calls.ts';
import { fakeGateway } from '../mcp/fake-gateway.ts';

const call = (name: string, bytes?: number, outcome = 'ok'): LoggedCall => ({
  time: '2026-11-24T10:00:00Z',
  who: 'local',
  call: name,
  outcome,
  ...(bytes !== undefined && { bytes }),
});

describe('savings', () => {
  it('count the answers that were given, at 3.6 bytes a token', () => {
    // (720 + 360) / 3.6 = 300; the failed call gave nothing.
    const calls = [
      call('search', 720),
      call('search', 360),
      call('search', 999, 'INTERNAL'),
      call('load', 3_600),
    ];
    expect(usedIn(calls, 2)).toEqual({
      sessions: 2,
      searches: { calls: 2, tokens: 300 },
      loads: { calls: 1, tokens: 1_000 },
      reads: { calls: 0, tokens: 0 },
    });
  });

  it('take the mean for searches whose size an older log does not have, and claim nothing where no size is known', () => {
    expect(usedIn([call('search', 360), call('search')], 0).searches).toEqual({ calls: 2, tokens: 200 });
    expect(usedIn([call('search')], 0).searches).toEqual({ calls: 1, tokens: null });
  });

  it('say what a list leaves out', () => {
    const skills = Array.from({ length: 1_000 }, (_, at) => ({
      name: `skill-${at}`,
      description: 'd'.repeat(99),
    }));
    const host = hostOf('codex')!;
    const [found] = hostSavings([
      { host, report: listingOf(skills, host.listing), isHidden: true, isConnected: true },
    ]);
    expect(found).toMatchObject({
      name: 'Codex',
      connected: true,
      hidden: true,
      skills: 1_000,
      shortenedTo: null,
    });
    expect(found!.omitted + found!.withoutDescription).toBe(1_000);
  });

  it("count skillgate's own texts in a prompt", async () => {
    const tokens = await ownTokens(fakeGateway([{ id: 'a', description: 'A.', files: { 'SKILL.md': '' } }]));
    expect(tokens).toBeGreaterThan(300);
    expect(tokens).toBeLessThan(1_200);
  });
});
