/** A gateway whose calls mend what they find broken: a damaged index is made again, a vanished skill is looked for. */

import { isDamage } from '../indexing/damage.ts';
import { type Gateway, GatewayError } from './gateway.ts';
import type { Library } from './library.ts';

type Mendable = Pick<Library, 'remake' | 'notice'>;

/** Parts of an index are checked when they are first read, so any call may be the one that meets the damage. */
export function mending(gateway: Gateway, library: Mendable): Gateway {
  const mended =
    <Given extends readonly unknown[], Result>(use: (...given: Given) => Promise<Result>) =>
    (...given: Given): Promise<Result> =>
      mend(library, () => use(...given));
  return {
    search: mended(gateway.search),
    bundle: mended(gateway.bundle),
    why: mended(gateway.why),
    load: mended(gateway.load),
    read: mended(gateway.read),
    list: mended(gateway.list),
    labels: mended(gateway.labels),
    complete: mended(gateway.complete),
    summary: mended(gateway.summary),
    publishable: mended(gateway.publishable),
    publishableAt: mended(gateway.publishableAt),
    completeUri: mended(gateway.completeUri),
    onChange: gateway.onChange,
  };
}

/** What `use` gives; where it meets damage, what it gives once the index has been made again. */
export async function mend<Result>(library: Mendable, use: () => Promise<Result>): Promise<Result> {
  try {
    return await use();
  } catch (error) {
    if (error instanceof GatewayError && error.code === 'SKILL_GONE') library.notice();
    if (!isDamage(error)) throw error;
    await library.remake(error);
    return use();
  }
}
