/** A new object whose calls pass through an interceptor: what layers that concern every use case are made with. */

import { isDamage } from '../catalog/indexing/damage.ts';
import type { ServedLibrary } from '../catalog/library.ts';
import { GatewayError } from './gateway-error.ts';
import type { Principal } from './policy/principal.ts';

/** A call of a use case. */
interface UseCaseCall {
  /** `search`, `load`, `read`, … */
  readonly name: string;
  readonly request: unknown;
}

/** Makes the call by `proceed`, which may be called again, and returns its result. */
export type Interceptor = (call: UseCaseCall, proceed: () => Promise<unknown>) => Promise<unknown>;

/** Intercepts every method except subscriptions (`on…`). */
export function intercept<Intercepted extends object>(
  gateway: Intercepted,
  around: Interceptor,
): Intercepted {
  const members = Object.entries(gateway).map(([name, member]) => {
    if (typeof member !== 'function' || name.startsWith('on')) return [name, member];
    const call = (...given: readonly unknown[]) =>
      around({ name, request: given[0] }, async () => Reflect.apply(member, gateway, given));
    return [name, call];
  });
  // Every member keeps its name, and `around` returns what the call returns.
  return Object.fromEntries(members) as Intercepted;
}

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

export function observed<Observed extends object>(
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
      end({ outcome: toOutcome(error), ms: now() - start, result: undefined });
      throw error;
    }
  });
}

/** The error's code where it looks like a documented one. Anything else may hold what must not be recorded. */
function toOutcome(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' && /^[A-Z_]{1,64}$/.test(code) ? code : 'INTERNAL';
}

/**
 * The result of `use`; where `use` finds damage, its result after a rebuild. Any call may find damage, since parts of an
 * index are verified when they are first read.
 */
export async function retryRepaired<Result>(
  library: Pick<ServedLibrary, 'rebuild' | 'notice'>,
  use: () => Promise<Result>,
): Promise<Result> {
  try {
    return await use();
  } catch (error) {
    if (error instanceof GatewayError && error.code === 'SKILL_GONE') library.notice();
    if (!isDamage(error)) throw error;
    await library.rebuild(error);
    return use();
  }
}
