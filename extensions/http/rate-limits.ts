/** Rate limits: calls and bytes per minute, in windows that start with the first call. */

import { RateLimiterMemory } from 'rate-limiter-flexible';
import type { Counter } from '../../src/app/extension-api.ts';
import type { Principal } from '../../src/gateway/policy/principal.ts';
import { toNetwork } from './addresses.ts';

export interface RateLimits {
  readonly callsPerMinute: number;
  /** Bodies of requests and answers together. */
  readonly bytesPerMinute: number;
}

/** Who calls, and from where. */
export interface Caller {
  readonly principal: Principal;
  readonly address: string;
}

const WINDOW_S = 60;

/** The limit that was exceeded, and when to retry. */
export interface Exhausted {
  readonly what: 'calls' | 'bytes' | 'bytes of this address';
  readonly limit: number;
  /** A whole number, at least 1. */
  readonly retryAfterS: number;
}

export interface RateLimiter {
  /** Counts calls, refused ones too. Null if they are within the limits, and bytes are left. */
  calls(caller: Caller, count: number): Promise<Exhausted | null>;
  /**
   * Counts bytes before they are kept or sent. Null if they are within the limits. Refused bytes count too: otherwise a
   * caller could have large answers made without end and receive none of them.
   */
  bytes(caller: Caller, count: number): Promise<Exhausted | null>;
}

interface RateLimiterOptions extends RateLimits {
  /** Of all principals of an address together. */
  readonly bytesPerMinutePerAddress: number;
}

/** Of this process. It only counts, because limits differ by principal. */
const ownCounter = (keyPrefix: string, windowMs: number): Counter =>
  new RateLimiterMemory({ keyPrefix, points: Number.MAX_SAFE_INTEGER, duration: windowMs / 1_000 });

export function rateLimiter(
  limits: RateLimiterOptions,
  callsPerMinuteOf: (principal: Principal) => number | undefined = () => undefined,
  counter: (prefix: string, windowMs: number) => Counter = ownCounter,
): RateLimiter {
  const [calls, bytes, addressBytes] = ['calls', 'bytes', 'address'].map((name) =>
    counter(name, WINDOW_S * 1_000),
  ) as [Counter, Counter, Counter];

  const refused = (what: Exhausted['what'], limit: number, ms: number): Exhausted => ({
    what,
    limit,
    retryAfterS: Math.max(1, Math.ceil(ms / 1_000)),
  });
  const { bytesPerMinute, bytesPerMinutePerAddress: most } = limits;

  return {
    async calls({ principal, address }, count) {
      const callsPerMinute = callsPerMinuteOf(principal) ?? limits.callsPerMinute;
      const own = await bytes.get(principal.id);
      if (own !== null && own.consumedPoints >= bytesPerMinute)
        return refused('bytes', bytesPerMinute, own.msBeforeNext);
      const shared = await addressBytes.get(toNetwork(address));
      if (shared !== null && shared.consumedPoints >= most)
        return refused('bytes of this address', most, shared.msBeforeNext);
      const made = await calls.penalty(principal.id, count);
      return made.consumedPoints > callsPerMinute
        ? refused('calls', callsPerMinute, made.msBeforeNext)
        : null;
    },
    async bytes({ principal, address }, count) {
      const own = await bytes.penalty(principal.id, count);
      if (own.consumedPoints > bytesPerMinute) return refused('bytes', bytesPerMinute, own.msBeforeNext);
      const shared = await addressBytes.penalty(toNetwork(address), count);
      return shared.consumedPoints > most
        ? refused('bytes of this address', most, shared.msBeforeNext)
        : null;
    },
  };
}
