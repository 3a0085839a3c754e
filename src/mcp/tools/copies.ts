/** Copies of a skill in other sources, as search_skills and load_skill list them. */

import * as z from 'zod';
import type { Copy } from '../../search/public.ts';
import { bare, count } from '../text.ts';

export const copiesSchema = z
  .array(z.object({ source: z.string(), id: z.string() }))
  .describe('Other sources of the same skill');

interface CopiesResult {
  readonly also_from?: { source: string; id: string }[] | undefined;
  readonly also_from_count?: number | undefined;
}

/** Names at most `most` copies; `also_from_count` counts all of them if there are more. */
export function copiesResult(
  copies: readonly Copy[] = [],
  most: number,
): { also_from?: { source: string; id: string }[]; also_from_count?: number } {
  return {
    ...(copies.length > 0 && { also_from: copies.slice(0, most).map(({ source, id }) => ({ source, id })) }),
    ...(copies.length > most && { also_from_count: copies.length }),
  };
}

/** An id that starts with its source is written without the source. */
export function copiesLine({ also_from: named = [], also_from_count }: CopiesResult): string[] {
  if (named.length === 0) return [];
  const texts = named.map(({ source, id }) =>
    id.startsWith(`${source}:`) ? bare(id) : `${source} (${bare(id)})`,
  );
  const unnamed = (also_from_count ?? named.length) - named.length;
  return [`   the same from: ${texts.join(', ')}${unnamed > 0 ? ` and ${count(unnamed)} more` : ''}`];
}
