/**
 * The one way to put something around a gateway: a new object whose calls pass through the interceptor. What concerns
 * single use cases is an object spread: `{ ...gateway, load: … }`.
 */

import type { Gateway } from './gateway.ts';

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
