/** Where else the very same skill comes from, as search_skills and load_skill say it. */

import * as z from 'zod';
import type { Copy } from '../../search/copies.ts';
import { bare, count } from '../text.ts';

/** Copies that are named; the rest are counted. */
const NAMED = 3;

export const alsoFromSchema = z
  .array(z.object({ source: z.string(), id: z.string() }))
  .describe('Other sources of this very skill');

interface AlsoFrom {
  readonly also_from?: { source: string; id: string }[] | undefined;
  readonly also_from_count?: number | undefined;
}

export function alsoFrom(copies: readonly Copy[] = []): {
  also_from?: { source: string; id: string }[];
  also_from_count?: number;
} {
  return {
    ...(copies.length > 0 && { also_from: copies.slice(0, NAMED).map(({ source, id }) => ({ source, id })) }),
    ...(copies.length > NAMED && { also_from_count: copies.length }),
  };
}

/** An id that begins with its source says both. */
export function alsoFromLine({ also_from: named = [], also_from_count }: AlsoFrom): string[] {
  if (named.length === 0) return [];
  const texts = named.map(({ source, id }) => bare(id.startsWith(`${source}:`) ? id : `${source} (${id})`));
  const unnamed = (also_from_count ?? named.length) - named.length;
  return [`   the same from: ${texts.join(', ')}${unnamed > 0 ? ` and ${count(unnamed)} more` : ''}`];
}
