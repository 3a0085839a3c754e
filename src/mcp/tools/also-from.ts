/** Where else the very same skill comes from, as search_skills and load_skill say it. */

import * as z from 'zod';
import type { Copy } from '../../search/copies.ts';
import { bare, count } from '../text.ts';

export const alsoFromSchema = z
  .array(z.object({ source: z.string(), id: z.string() }))
  .describe('Other sources of this very skill');

interface AlsoFrom {
  readonly also_from?: { source: string; id: string }[] | undefined;
  readonly also_from_count?: number | undefined;
}

/** Names up to `most` of them; the rest are counted. */
export function alsoFrom(
  copies: readonly Copy[] = [],
  most: number,
): { also_from?: { source: string; id: string }[]; also_from_count?: number } {
  return {
    ...(copies.length > 0 && { also_from: copies.slice(0, most).map(({ source, id }) => ({ source, id })) }),
    ...(copies.length > most && { also_from_count: copies.length }),
  };
}

/** An id that begins with its source says both. */
export function alsoFromLine({ also_from: named = [], also_from_count }: AlsoFrom): string[] {
  if (named.length === 0) return [];
  const texts = named.map(({ source, id }) =>
    id.startsWith(`${source}:`) ? bare(id) : `${source} (${bare(id)})`,
  );
  const unnamed = (also_from_count ?? named.length) - named.length;
  return [`   the same from: ${texts.join(', ')}${unnamed > 0 ? ` and ${count(unnamed)} more` : ''}`];
}
