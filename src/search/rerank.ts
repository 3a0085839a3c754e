/**
 * The second stage of ranking: what takes a look at each of a skill's passages is found out for the best of the first
 * stage alone.
 */

import { type LexicalQuery, type Reader, TopK } from '#index';
import {
  type Features,
  type FirstSignals,
  featuresFrom,
  firstSignalsOf,
  type PassageSignals,
  passageSignalsOf,
  type Signals,
} from './features.ts';
import { scoresOf } from './rank.ts';

/** Skills that are looked at. Hit@1 / nDCG@10 on dev and skill-evals: 56.0 / 70.6 and 68.1 / 76.5 with 20, 24, 32 and 48. */
export const LOOKED_AT = 24;

/** All signals; `look` gives those of the candidates at `places` (ascending), in their order. */
export function withPassages(first: FirstSignals, look: (places: Uint32Array) => PassageSignals): Signals {
  const { card } = first;
  const unseen = { ...first, passage: new Float32Array(card.length), best: card };
  const most = new TopK(LOOKED_AT);
  scoresOf(featuresFrom(unseen), card.length).forEach((score, at) => {
    most.push(at, score);
  });
  const places = most.drain().ordinals.sort();
  const seen = look(places);
  const best = card.slice();
  places.forEach((place, at) => {
    unseen.passage[place] = seen.passage[at]!;
    best[place] = seen.best[at]!;
  });
  return { ...unseen, best };
}

/** What is known of each document; `vector` is null where words alone are searched. */
export function signalsOf(
  reader: Reader,
  ordinals: Uint32Array,
  words: LexicalQuery,
  vector: Float32Array | null,
): Signals {
  return withPassages(firstSignalsOf(reader, ordinals, words, vector), (places) =>
    passageSignalsOf(
      reader,
      places.map((place) => ordinals[place]!),
      words,
      vector,
    ),
  );
}

/** The same, held against each other. */
export const featuresOf = (...asked: Parameters<typeof signalsOf>): Features =>
  featuresFrom(signalsOf(...asked));
