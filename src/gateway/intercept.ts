/**
 * What surrounds a gateway: a new object whose calls pass through an interceptor, and the small steps of `pipeline.ts`. What
 * concerns single use cases is an object spread: `{ ...gateway, load: … }`.
 */

import type { Learning } from '../search/learned.ts';
import type { Gateway } from './gateway.ts';
import { GatewayError } from './gateway-error.ts';

/** A call of a use case. */
export interface UseCaseCall {
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
