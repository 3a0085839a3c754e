/** What only names and descriptions tell of a candidate: that it is about something else, although its words match. */

import type { LexicalQuery } from '../../index/lexical/query/query.ts';
import { TopK } from '../../index/ranking.ts';
import type { Reader } from '../../index/reader/reader.ts';
import type { CatalogEntry } from '../sources/scan/entry.ts';
import { shareElsewhere } from './elsewhere.ts';
import type { Features } from './features.ts';
import { otherProducts } from './products.ts';
import { scoresOf } from './rank.ts';

/** Best candidates whose descriptions are read. */
const READ = 10;

/** The features with what the cards say. `byTerm` as in `FirstSignals`. */
export function withCards(
  features: Features,
  words: LexicalQuery,
  byTerm: Float32Array,
  ordinals: Uint32Array,
  reader: Pick<Reader, 'key' | 'payload'>,
): Features {
  const product = otherProducts(words, byTerm, ordinals, (ordinal) => reader.key(ordinal));
  const best = new TopK(READ);
  scoresOf({ ...features, product }, ordinals.length).forEach((score, at) => {
    best.push(at, score);
  });
  const elsewhere = new Float32Array(ordinals.length);
  for (const at of best.drain().ordinals)
    elsewhere[at] = 0 - shareElsewhere(words, reader.payload(ordinals[at]!) as CatalogEntry);
  return { ...features, product, elsewhere };
}
