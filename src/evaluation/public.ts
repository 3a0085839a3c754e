/**
 * The evaluation of retrieval: datasets in the BEIR layout, standard measures, comparison of two systems, tables.
 * Knows no index and no skills: a system under test is a function.
 */

export { asSystem } from './as-system.ts';
export { parseDataset, readDatasetFolder } from './beir.ts';
export {
  bootstrapInterval,
  type Comparison,
  compare,
  type Difference,
  randomisationTest,
} from './compare.ts';
export { type Dataset, missingDocuments, needsSeveral, type Query, renamed } from './dataset.ts';
export { EvaluationError } from './errors.ts';
export { evaluate, type System } from './evaluate.ts';
export { type Evaluation, type QueryResult, type RankedDocument, summarise } from './evaluation.ts';
export { type Grades, relevant, targets } from './grades.ts';
export { type Claim, calibrationError, type ReliabilityBin, reliability } from './measures/calibration.ts';
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
export { trecRun } from './trec-run.ts';
