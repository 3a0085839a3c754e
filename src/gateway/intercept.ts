/**
 * What surrounds a gateway: a new object whose calls pass through an interceptor, and the steps of `pipeline.ts`. What
 * concerns single use cases is an object spread: `{ ...gateway, load: … }`.
 */

import { isDamage } from '../catalog/indexing/damage.ts';
import type { ServedLibrary } from '../catalog/library.ts';
import type { Learning } from '../search/learned.ts';
import type { Gateway } from './gateway.ts';
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

/** Intercepts every method except subscriptions (`on…`), also methods that `Gateway` does not declare. */
export function intercept<Intercepted extends Gateway>(
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

/** `failing`: lines of the log are lost. The refusal itself is logged, which tries the log again. */
export const withRequiredAudit = (gateway: Gateway, failing: () => boolean): Gateway =>
  intercept(gateway, async (_, proceed) => {
    if (failing())
      throw new GatewayError(
        'AUDIT_UNAVAILABLE',
        'The audit log cannot be written, and this server answers nothing without it: its operator has to repair it.',
      );
    return proceed();
  });

/** `noteNow` is asked for each answer; '' adds nothing. */
export const withNote = (gateway: Gateway, noteNow: () => string): Gateway => ({
  ...gateway,
  async search(request) {
    const answer = await gateway.search(request);
    const note = [answer.retrieval.note ?? '', noteNow()].filter((part) => part !== '').join(' ');
    return note === '' ? answer : { ...answer, retrieval: { ...answer.retrieval, note } };
  },
});

/** `who` names the principal. Without learning the gateway as it is. */
export function withLearning(gateway: Gateway, who: string, learning: Learning | undefined): Gateway {
  if (learning === undefined) return gateway;
  return {
    ...gateway,
    async search(request) {
      const answer = await gateway.search(request);
      const { query, words, hits, also = [] } = answer;
      learning.searched(who, { query, words, hits: [...hits, ...also].map(({ entry }) => entry.id) });
      return answer;
    },
    async load(request) {
      const loaded = await gateway.load(request);
      learning.loaded(who, loaded.entry.id);
      return loaded;
    },
  };
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

/**
 * The result of `use`; where `use` finds damage, its result after a rebuild. Any call may find damage, since parts of an
 * index are verified when they are first read.
 */
export async function withRepair<Result>(
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
