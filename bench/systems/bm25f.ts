/** `bm25f`: the product's lexical side alone. */

import type { Reader } from '#index';
import type { Arm } from './arm.ts';
import { named } from './best.ts';

/** Documents that a search chooses by a query's weightiest words and this arm scores by all of them. */
const POOL = 1_000;

/** The k best by BM25F over all words of the query, equal ones in the index's order. */
export function byWords(reader: Reader, text: string, k: number) {
  const query = reader.lexical.prepare(text);
  const pool = reader.lexical.match(query, Math.max(POOL, k)).ordinals.sort();
  const { bm25f } = reader.lexical.signals(query, pool);
  const order = Array.from(pool.keys())
    .sort((a, b) => bm25f[b]! - bm25f[a]! || a - b)
    .slice(0, k);
  return named(reader, {
    ordinals: Uint32Array.from(order, (at) => pool[at]!),
    scores: Float32Array.from(order, (at) => bm25f[at]!),
  });
}

export const bm25f: Arm = {
  name: 'bm25f',
  about: 'BM25F over name, description, body and references: the words of the product without its vectors.',
  build: async ({ reader }) => ({ search: async (query, k) => byWords(reader, query, k) }),
};
