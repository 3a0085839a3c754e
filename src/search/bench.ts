/** The door for `bench/`: what measuring and tuning the ranking needs beyond a search. Nothing in `src/` imports it. */

export type { SearchAnswer } from './answer.ts';
export { candidatesFor } from './candidates.ts';
export { type ConfidenceSignals, confidenceSignalsOf } from './confidence.ts';
export { similarityOf } from './copies.ts';
export { type FeatureName, firstSignalsOf, passageSignalsOf } from './features.ts';
export { rank, ranked } from './rank.ts';
export { featuresOf, rankingSignalsOf } from './rerank.ts';
export { entryAt, search } from './search.ts';
