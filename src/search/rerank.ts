/** The second stage of ranking: computes the costly passage signals for the best candidates of the first stage only. */

import type { LexicalQuery } from '../../index/lexical/query/query.ts';
import { TopK } from '../../index/ranking.ts';
import type { Reader } from '../../index/reader/reader.ts';
import {
  type FirstSignals,
  featuresFrom,
  firstSignalsOf,
  type PassageSignals,
  passageSignalsOf,
  type Signals,
  separatingWords,
} from './features.ts';
import { scoresOf } from './rank.ts';

/** Candidates with passage signals. More do not rank better (`bench/TRIED.md`). */
export const RERANKED = 24;

/** Best candidates that are compared by the words that separate them. */
const COMPARED = 10;

/** All signals; `look` gives those of the candidates at `places` (ascending), in their order. */
export function withPassages(first: FirstSignals, look: (places: Uint32Array) => PassageSignals): Signals {
  const { card } = first;
  const separating = new Float32Array(card.length);
  const unseen = { ...first, passage: new Float32Array(card.length), best: card, separating };
  const places = bestOf(unseen, RERANKED);
  const seen = look(places);
  const best = card.slice();
  places.forEach((place, at) => {
    unseen.passage[place] = seen.passage[at]!;
    best[place] = seen.best[at]!;
  });
  const all = { ...unseen, best };
  return { ...all, separating: separatingWords(first, bestOf(all, COMPARED)) };
}

/** The places of the `count` candidates with the highest scores, ascending. */
function bestOf(signals: Signals, count: number): Uint32Array {
  const most = new TopK(count);
  scoresOf(featuresFrom(signals), signals.card.length).forEach((score, at) => {
    most.push(at, score);
  });
  return most.drain().ordinals.sort();
}

/** Signals of each document; `vector` is null where words alone are searched. */
export function rankingSignalsOf(
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
