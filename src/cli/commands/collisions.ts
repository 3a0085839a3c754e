/** The part of `skillgate stats --collisions`: pairs of skills with nearly the same card, and which one hides the other. */

import type { Collisions } from '../../insights/public.ts';
import { counted } from '../../mcp/public.ts';
import { colours, print } from '../output.ts';

/** Pairs that are examined and printed; further pairs are only counted. */
export const MAX_COLLISIONS = 20;

export function showCollisions({ skills, total, pairs }: Collisions): void {
  if (total === 0) {
    print(`No two of ${counted(skills, 'skill')} have nearly the same card and different contents.`);
    return;
  }
  print(`${counted(total, 'pair')} of skills with nearly the same card and different contents:`);
  for (const { ids, similarity, shadowing } of pairs) {
    print(`  ${similarity.toFixed(3)}  ${ids[0]}`);
    print(`         ${ids[1]}`);
    const verdict =
      shadowing === null
        ? 'each comes first for its own description'
        : `${colours.bold(shadowing)} comes first for both descriptions`;
    print(`         ${colours.dim(verdict)}`);
  }
  if (total > pairs.length) print(colours.dim(`  and ${total - pairs.length} more`));
  print('Write in each description what only that skill does, or remove one of the two.');
}
