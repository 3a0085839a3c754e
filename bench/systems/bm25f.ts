/** `bm25f`: the lexical search of the product alone. */

import { toRankedDocuments } from './ranked.ts';
import type { BenchmarkSystem } from './system.ts';

export const bm25f: BenchmarkSystem = {
  name: 'bm25f',
  about: 'BM25F over name, description, body and references: the product without its vectors.',
  build: async ({ reader }) => ({
    search: async (query, k) =>
      toRankedDocuments(reader, reader.lexical.match(reader.lexical.prepare(query), k)),
  }),
};
