/** Recovery inside a call: rebuilds a damaged index and asks again; rechecks the folders after a skill has vanished. */

import { isDamage } from '../catalog/indexing/damage.ts';
import type { ServedLibrary } from '../catalog/library.ts';
import { GatewayError } from './gateway-error.ts';

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
