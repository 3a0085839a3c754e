/** Rate limits per principal: calls and bytes per minute, in windows that start with the first call. */

import { RateLimiterMemory } from 'rate-limiter-flexible';
import type { Principal } from '../policy/public.ts';

export interface RateLimits {
  readonly callsPerMinute: number;
  /** Bodies of requests and answers together. */
  readonly bytesPerMinute: number;
}

const WINDOW_S = 60;

/** The limit that was exceeded, and when to retry. */
export interface Exhausted {
  readonly what: 'calls' | 'bytes';
  readonly limit: number;
  /** A whole number, at least 1. */
  readonly retryAfterS: number;
}

export interface RateLimiter {
  /** Counts calls, refused ones too. Null if they are within the limits. */
  calls(principal: Principal, count: number): Promise<Exhausted | null>;
  /** Counts bytes after they were sent; if they exceed the limit, the next call is refused. */
  bytes(principal: Principal, count: number): Promise<void>;
}

export function rateLimiter(
  limits: RateLimits,
  limitsOf: (principal: Principal) => Partial<RateLimits> = () => ({}),
): RateLimiter {
  // The limiters only count, because limits differ by principal.
  const counter = (keyPrefix: string) =>
    new RateLimiterMemory({ keyPrefix, points: Number.MAX_SAFE_INTEGER, duration: WINDOW_S });
  const calls = counter('calls');
  const bytes = counter('bytes');
  return {
    async calls(principal, count) {
      const { callsPerMinute, bytesPerMinute } = { ...limits, ...limitsOf(principal) };
      const sent = await bytes.get(principal.id);
      if (sent !== null && sent.consumedPoints >= bytesPerMinute)
        return { what: 'bytes', limit: bytesPerMinute, retryAfterS: seconds(sent.msBeforeNext) };
      const made = await calls.penalty(principal.id, count);
      if (made.consumedPoints > callsPerMinute)
        return { what: 'calls', limit: callsPerMinute, retryAfterS: seconds(made.msBeforeNext) };
      return null;
    },
    async bytes(principal, count) {
      if (count > 0) await bytes.penalty(principal.id, count);
    },
  };
}

const seconds = (ms: number) => Math.max(1, Math.ceil(ms / 1_000));
