/**
 * A gateway whose calls are told of: who called what, and how it ended. The one place where all surfaces meet (tools,
 * the Skills extension, the drafts, resources, prompts), so nothing is read or run unseen. What is written down, what
 * is left out and where it goes is `telemetry/`'s.
 */

import type { Gateway } from './gateway.ts';
import type { Principal } from './principal.ts';

/** A use case being called. */
export interface UseCase {
  /** `search`, `load`, `read`, … */
  readonly name: string;
  readonly principal: Principal;
  /** What it was given, as the gateway takes it. */
  readonly request: unknown;
}

/** How it ended. */
export interface UseCaseEnd {
  /** `ok`, a code of `GatewayError` or `IndexError`, or `INTERNAL`. */
  readonly outcome: string;
  /** Wall time, ms. */
  readonly ms: number;
  /** What it gave; undefined where it failed. */
  readonly result: unknown;
}

/** Told when a call begins; returns what is told when it ends. Neither may throw. */
export type Watch = (useCase: UseCase) => (end: UseCaseEnd) => void;

export interface Watching {
  readonly principal: Principal;
  readonly watch: Watch;
  /** Milliseconds, monotonic. */
  readonly now: () => number;
}

/** The same gateway; use cases that are added later are watched as well, whatever they are called. */
export function watched<Watched extends Gateway>(gateway: Watched, watching: Watching): Watched {
  const made = new Map<PropertyKey, unknown>();
  return new Proxy(gateway, {
    get(target, name, receiver) {
      const member: unknown = Reflect.get(target, name, receiver);
      if (typeof member !== 'function' || typeof name !== 'string' || name.startsWith('on')) return member;
      const known = made.get(name);
      if (known !== undefined) return known;
      const call = (...given: readonly unknown[]) =>
        told(name, given[0], watching, () => Reflect.apply(member, target, given));
      made.set(name, call);
      return call;
    },
  });
}

async function told(
  name: string,
  request: unknown,
  { principal, watch, now }: Watching,
  call: () => unknown,
): Promise<unknown> {
  const start = now();
  const end = watch({ name, principal, request });
  try {
    const result = await call();
    end({ outcome: 'ok', ms: now() - start, result });
    return result;
  } catch (error) {
    end({ outcome: codeOf(error), ms: now() - start, result: undefined });
    throw error;
  }
}

/** Errors of every root carry a documented code; of others nothing is known. */
function codeOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' && /^[A-Z_]{1,64}$/.test(code) ? code : 'INTERNAL';
}
