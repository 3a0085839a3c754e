/** Where a hit was found, if not by its card: `references/limits.md:40-62`, to be opened with read_reference. */

import type { QueryWord, SearchHit } from '../../search/answer.ts';
import { bare } from '../text.ts';
import { massOf } from './summary.ts';

/** Undefined where name and description already say as much of the query as the best passage. */
export function pointerOf(
  { entry, evidence }: Pick<SearchHit, 'entry' | 'evidence'>,
  words: readonly QueryWord[],
): string | undefined {
  const [best] = evidence;
  if (best === undefined || best.path === entry.file) return undefined;
  const card = massOf(`${entry.name} ${entry.description} ${entry.tags.join(' ')}`, words);
  const passage = massOf(best.terms.join(' '), words);
  return passage > card ? `${bare(best.path)}:${best.lines[0]}-${best.lines[1]}` : undefined;
}
