/** Limits of calls and bytes per principal, and of bytes per address. */

import { describe, expect, it } from 'vitest';
import { rateLimiter } from '../../../extensions/http/rate-limits.ts';

const at = (id: string, address = '192.0.2.1') => ({ principal: { id, scopes: [] }, address });
const alice = at('alice');
const bob = at('bob');
const LIMITS = { callsPerMinute: 3, bytesPerMinute: 1_000, bytesPerMinutePerAddress: 1_500 };

describe('rateLimiter', () => {
  it('allows calls up to the limit, and says when to retry', async () => {
    const limiter = rateLimiter(LIMITS);
    for (let call = 0; call < 3; call++) expect(await limiter.calls(alice, 1)).toBeNull();
    const refused = await limiter.calls(alice, 1);
    expect(refused).toMatchObject({ what: 'calls', limit: 3 });
    expect(refused?.retryAfterS).toBeGreaterThan(0);
    expect(refused?.retryAfterS).toBeLessThanOrEqual(60);
  });

  it('counts each message of a batch', async () => {
    expect(await rateLimiter(LIMITS).calls(alice, 4)).toMatchObject({ what: 'calls' });
  });

  it('counts principals separately', async () => {
    const limiter = rateLimiter(LIMITS);
    await limiter.calls(alice, 100);
    await limiter.bytes(alice, 10_000);
    expect(await limiter.calls(bob, 1)).toBeNull();
    expect(await limiter.bytes(bob, 1_000)).toBeNull();
  });

  it('admits bytes up to the limit, and refuses more before they are sent', async () => {
    const limiter = rateLimiter(LIMITS);
    expect(await limiter.bytes(alice, 999)).toBeNull();
    expect(await limiter.calls(alice, 1)).toBeNull();
    expect(await limiter.bytes(alice, 1)).toBeNull();
    expect(await limiter.bytes(alice, 1)).toMatchObject({ what: 'bytes', limit: 1_000 });
    expect(await limiter.calls(alice, 1)).toMatchObject({ what: 'bytes', limit: 1_000 });
  });

  it('counts refused bytes, so that a large answer is not made again and again', async () => {
    const limiter = rateLimiter(LIMITS);
    expect(await limiter.bytes(alice, 5_000)).toMatchObject({ what: 'bytes' });
    expect(await limiter.calls(alice, 1)).toMatchObject({ what: 'bytes' });
  });

  it('limits the bytes of all principals of an address, and of an IPv6 network', async () => {
    for (const [one, other] of [
      ['192.0.2.1', '192.0.2.1'],
      ['2001:db8::1', '2001:db8::ffff:2'],
    ]) {
      const limiter = rateLimiter(LIMITS);
      // 900 + 600 are the 1,500 of the address.
      expect(await limiter.bytes(at('alice', one), 900)).toBeNull();
      expect(await limiter.bytes(at('bob', other), 600)).toBeNull();
      expect(await limiter.bytes(at('carol', one), 1)).toMatchObject({ what: 'bytes of this address' });
      expect(await limiter.calls(at('carol', other), 1)).toMatchObject({ limit: 1_500 });
      expect(await limiter.calls(at('carol', '192.0.2.2'), 1)).toBeNull();
    }
  });

  it('applies overrides of a principal', async () => {
    const limiter = rateLimiter(LIMITS, ({ id }) => (id === 'bob' ? 1 : undefined));
    expect(await limiter.calls(bob, 1)).toBeNull();
    expect(await limiter.calls(bob, 1)).toMatchObject({ what: 'calls', limit: 1 });
    expect(await limiter.calls(alice, 2)).toBeNull();
  });
});
