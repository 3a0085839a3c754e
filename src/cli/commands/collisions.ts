/** The part of `skillgate stats --collisions`: skills that an agent could not tell apart, and which one hides the other. */

import type { Collisions } from '../../authoring/collisions.ts';
import { counted } from '../../mcp/text.ts';
import { colours, print } from '../output.ts';

/** Pairs that are examined and printed by default; further pairs are only counted. */
export const MAX_COLLISIONS = 20;

export function showCollisions({ skills, total, pairs }: Collisions): void {
  if (total === 0) {
    const none = `No two of ${skills} skills are hard to tell apart by name and description.`;
    print(skills < 2 ? `There are no two skills to compare: the catalog has ${skills}.` : none);
    return;
  }
  print(
    `${counted(total, 'pair')} of skills that are hard to tell apart by name and description, the hardest first:`,
  );
  for (const { ids, closeness, shadowing } of pairs) {
    print(`  ${closeness.toFixed(3)}  ${ids[0]}`);
    print(`         ${ids[1]}`);
    const verdict =
      shadowing === null
        ? 'each comes first for its own description'
        : `${colours.bold(shadowing)} comes first for both descriptions`;
    print(`         ${colours.dim(verdict)}`);
  }
  if (total > pairs.length) print(colours.dim(`  and ${total - pairs.length} more; --all lists them`));
  print(
    'Write in each description what only that skill does, or name the other one ("not for …: see other-skill"), or remove one of the two.',
  );
}
