/**
 * Which skills fit a query, and how sure that is. `search.ts` reads as the whole flow in order.
 *
 * Candidates come from vectors and from words. A handful of features give one sum with non-negative weights. Signals that
 * need every passage are computed for the best candidates only (`rerank.ts`). Copies are folded, the confidence is calibrated,
 * and evidence (file, heading, lines) is read for the hits that are shown.
 */

export type {
  Evidence,
  Filter,
  Lead,
  QueryWord,
  Retrieval,
  SearchAnswer,
  SearchHit,
  SearchRequest,
} from './answer.ts';
export { type Candidates, candidatesFor, depthFor } from './candidates.ts';
export { collapse, TWIN_SIMILARITY } from './collapse.ts';
export { type Confidence, confidenceOf, confidenceSignalsOf, isWeak } from './confidence.ts';
export { type Copy, copiesOf, type Precedence, precedenceOf, similarityOf } from './copies.ts';
export { CursorError } from './cursor.ts';
export { evidenceFor, readEvidence } from './evidence.ts';
export {
  type Features,
  type FirstSignals,
  featuresFrom,
  firstSignalsOf,
  type OwnSignals,
  type PassageSignals,
  passageSignalsOf,
} from './features.ts';
export { type ForeignLanguage, languagesOf, mainLanguages } from './language.ts';
export { partsOf, withLearned } from './learned.ts';
export { contributionsOf, ranked } from './rank.ts';
export { featuresOf, withPassages } from './rerank.ts';
export {
  acceptedBy,
  entryAt,
  MAX_QUERY,
  queryText,
  retrievalOf,
  type Searchable,
  search,
  wordsIn,
} from './search.ts';
export { separation, separationText } from './separation.ts';
export { passagesFor } from './start-reading.ts';
