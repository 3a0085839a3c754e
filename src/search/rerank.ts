/**
 * The second stage of ranking: what takes a look at each of a skill's passages is found out for the best of the first
 * stage alone.
 */

import { type LexicalQuery, type Reader, TopK } from '#index';
import { type Features, featuresFrom, type Signals, signalsOf } from './features.ts';
import { scoresOf } from './rank.ts';

/** Skills that are looked at. Hit@1 / nDCG@10 on skill-evals: 68.0 / 76.1 with 24, 68.0 / 76.3 with 32 and with 64. */
export const LOOKED_AT = 32;

/** The signals with the best passages of those that stand best without them; a better one known before stays. */
export function withPassages(
  reader: Reader,
  ordinals: Uint32Array,
  words: LexicalQuery,
  signals: Signals,
): Signals {
  const best = new TopK(LOOKED_AT);
  scoresOf(featuresFrom(signals), ordinals.length).forEach((score, at) => {
    best.push(at, score);
  });
  const places = best.drain().ordinals.sort();
  const shares = reader.bestPassageCoverage(
    words,
    places.map((place) => ordinals[place]!),
  );
  const passage = signals.passage.slice();
  places.forEach((place, at) => {
    passage[place] = Math.max(passage[place]!, shares[at]!);
  });
  return { ...signals, passage };
}

/** What is known of each candidate; `vector` is null where words alone are searched. */
export function featuresOf(
  reader: Reader,
  ordinals: Uint32Array,
  words: LexicalQuery,
  vector: Float32Array | null,
): Features {
  return featuresFrom(withPassages(reader, ordinals, words, signalsOf(reader, ordinals, words, vector)));
}
