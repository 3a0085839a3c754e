/**
 * A gateway that reports each call to an observer: who called what, and how it ended. All surfaces (tools, the Skills
 * extension, the drafts, resources, prompts) go through it, so nothing is read or run unobserved. What is recorded,
 * what is left out and where it goes belongs to `telemetry/`.
 */

import type { Gateway } from './gateway.ts';
import { intercept, type UseCaseCall } from './intercept.ts';
import type { Principal } from './policy/principal.ts';

/** The start of a call. */
export interface UseCase extends UseCaseCall {
  readonly principal: Principal;
}

/** The end of a call. */
export interface UseCaseEnd {
  /** `ok`, a code of `GatewayError` or `IndexError`, or `INTERNAL`. */
  readonly outcome: string;
  /** Wall time, ms. */
  readonly ms: number;
  /** Undefined where the call failed. */
  readonly result: unknown;
}

/** Called when a use case begins; the returned function is called when it ends. Neither may throw. */
export type Observer = (useCase: UseCase) => (end: UseCaseEnd) => void;

interface ObservedOptions {
  readonly principal: Principal;
  readonly observe: Observer;
  /** Milliseconds, monotonic. */
  readonly now: () => number;
}

export function observed<Observed extends Gateway>(
  gateway: Observed,
  { principal, observe, now }: ObservedOptions,
): Observed {
  return intercept(gateway, async ({ name, request }, proceed) => {
    const start = now();
    const end = observe({ name, principal, request });
    try {
      const result = await proceed();
      end({ outcome: 'ok', ms: now() - start, result });
      return result;
    } catch (error) {
      end({ outcome: outcomeOf(error), ms: now() - start, result: undefined });
      throw error;
    }
  });
}

/** The error's code where it looks like a documented one. Anything else may hold what must not be recorded. */
function outcomeOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' && /^[A-Z_]{1,64}$/.test(code) ? code : 'INTERNAL';
}
