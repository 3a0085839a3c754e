/** Limits of calls and bytes per principal. */

import { describe, expect, it } from 'vitest';
import { rateLimiter } from '../../../src/http/rate-limits.ts';

const alice = { id: 'alice', scopes: [] };
const bob = { id: 'bob', scopes: [] };
const LIMITS = { callsPerMinute: 3, bytesPerMinute: 1_000 };

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
  });

  it('refuses the call after the one that exceeded the bytes', async () => {
    const limiter = rateLimiter(LIMITS);
    await limiter.calls(alice, 1);
    await limiter.bytes(alice, 999);
    expect(await limiter.calls(alice, 1)).toBeNull();
    await limiter.bytes(alice, 1);
    expect(await limiter.calls(alice, 1)).toMatchObject({ what: 'bytes', limit: 1_000 });
  });

  it('applies overrides of a principal', async () => {
    const limiter = rateLimiter(LIMITS, ({ id }) => (id === 'bob' ? { callsPerMinute: 1 } : {}));
    expect(await limiter.calls(bob, 1)).toBeNull();
    expect(await limiter.calls(bob, 1)).toMatchObject({ what: 'calls', limit: 1 });
    expect(await limiter.calls(alice, 2)).toBeNull();
  });
});
