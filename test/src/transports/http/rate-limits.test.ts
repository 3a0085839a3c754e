/** Limits of calls and bytes, each principal by itself. */

import { describe, expect, it } from 'vitest';
import { rateLimiter } from '../../../../src/transports/http/rate-limits.ts';

const alice = { id: 'alice', scopes: [] };
const bob = { id: 'bob', scopes: [] };
const LIMITS = { callsPerMinute: 3, bytesPerMinute: 1_000 };

describe('rateLimiter', () => {
  it('lets as many calls through as are allowed, and says when there are more', async () => {
    const limiter = rateLimiter(LIMITS);
    for (let call = 0; call < 3; call++) expect(await limiter.calls(alice, 1)).toBeNull();
    const refused = await limiter.calls(alice, 1);
    expect(refused).toMatchObject({ what: 'calls', limit: 3 });
    expect(refused?.retryAfterS).toBeGreaterThan(0);
    expect(refused?.retryAfterS).toBeLessThanOrEqual(60);
  });

  it('counts several messages of one request each', async () => {
    expect(await rateLimiter(LIMITS).calls(alice, 4)).toMatchObject({ what: 'calls' });
  });

  it('makes nobody pay for another', async () => {
    const limiter = rateLimiter(LIMITS);
    await limiter.calls(alice, 100);
    await limiter.bytes(alice, 10_000);
    expect(await limiter.calls(bob, 1)).toBeNull();
  });

  it('refuses the call after the one that used up the bytes', async () => {
    const limiter = rateLimiter(LIMITS);
    await limiter.calls(alice, 1);
    await limiter.bytes(alice, 999);
    expect(await limiter.calls(alice, 1)).toBeNull();
    await limiter.bytes(alice, 1);
    expect(await limiter.calls(alice, 1)).toMatchObject({ what: 'bytes', limit: 1_000 });
  });

  it('takes limits of a principal’s own', async () => {
    const limiter = rateLimiter(LIMITS, ({ id }) => (id === 'bob' ? { callsPerMinute: 1 } : {}));
    expect(await limiter.calls(bob, 1)).toBeNull();
    expect(await limiter.calls(bob, 1)).toMatchObject({ what: 'calls', limit: 1 });
    expect(await limiter.calls(alice, 2)).toBeNull();
  });
});
