/** How good a ranking is: measures, BEIR datasets, significance. Used by `skillgate eval` and by `bench/`. */

export { asSystem } from './as-system.ts';
export { readDataset, readDatasetFolder } from './beir.ts';
export { bm25, topRanked } from './bm25.ts';
export { bootstrapInterval, type Comparison, compare, randomisationTest } from './compare.ts';
export { type Dataset, missingDocuments, needsSeveral, type Query, renamed } from './dataset.ts';
export { EvaluationError } from './errors.ts';
export { evaluate, type System } from './evaluate.ts';
export { type Evaluation, type QueryResult, type RankedDocument, summarise } from './evaluation.ts';
export { relevant, targets } from './grades.ts';
export { type Claim, calibrationError, reliability } from './measures/calibration.ts';
export { falsePositiveRate, rocArea } from './measures/no-match.ts';
export { type Miss, missesOf } from './misses.ts';
export { isEvalFile, requestsIn } from './own-evals.ts';
export { seeded, shuffled } from './random.ts';
export { mean, quantile } from './statistics.ts';
export {
  calibrationLine,
  calibrationText,
  claimsOf,
  columns,
  evaluationTable,
  noMatchLine,
  percent,
  severalLine,
} from './table.ts';
export { makeTemplate } from './template.ts';
export { readTrecRun, trecRun } from './trec-run.ts';
