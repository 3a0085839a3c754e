/** What `skillgate stats --collisions` adds: skills that say nearly the same of themselves, and who shadows whom. */

import type { Collisions } from '../../search/collisions.ts';
import { colours, print } from '../output.ts';

/** Pairs that are searched for and shown; the others are counted. */
export const MOST_COLLISIONS = 20;

export function showCollisions({ skills, total, pairs }: Collisions): void {
  if (total === 0) {
    print(`No two of the ${skills} skills have nearly the same card and different contents.`);
    return;
  }
  print(`${total} pairs of skills have nearly the same card and different contents:`);
  for (const { ids, similarity, shadowing } of pairs) {
    print(`  ${similarity.toFixed(3)}  ${ids[0]}`);
    print(`         ${ids[1]}`);
    const verdict =
      shadowing === null
        ? 'each is found first by its own description'
        : `${colours.bold(shadowing)} comes first for both descriptions`;
    print(`         ${colours.dim(verdict)}`);
  }
  if (total > pairs.length) print(colours.dim(`  and ${total - pairs.length} more pairs`));
  print('Say in each description what the other one does not do, or remove one of the two.');
}
