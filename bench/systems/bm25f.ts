/** `bm25f`: the product's lexical side alone. */

import type { Arm } from './arm.ts';
import { named } from './best.ts';

export const bm25f: Arm = {
  name: 'bm25f',
  about: 'BM25F over name, description, body and references: the words of the product without its vectors.',
  build: async ({ reader }) => ({
    search: async (query, k) => named(reader, reader.lexical.match(reader.lexical.prepare(query), k)),
  }),
};
