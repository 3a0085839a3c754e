/** The index's only door: everything else in the repository imports `#index`, which is this file. */

export { type Directory, readWhole, writeWhole } from './directory/directory.ts';
export { diskDirectory } from './directory/disk.ts';
export { memoryDirectory } from './directory/memory.ts';
export type { Embedder } from './embedder.ts';
export { IndexError, type IndexErrorCode } from './errors.ts';
export { analyze, type Token, termsOf } from './lexical/analysis/analyzer.ts';
export type { FieldAverages } from './lexical/postings/bm25f.ts';
export type { LexicalDocument } from './lexical/postings/builder.ts';
export { counterfactualSignals } from './lexical/query/counterfactual.ts';
export { findTerms } from './lexical/query/find-terms.ts';
export { type LexicalQuery, type QueryTerm, wordsOf } from './lexical/query/query.ts';
export { wordWeight } from './lexical/query/word-weights.ts';
export { type HnswInfo, type IndexManifest, readManifest } from './manifest.ts';
export {
  FIELDS,
  type Field,
  type IndexDocument,
  PASSAGE_KINDS,
  type Passage,
  type PassageKind,
} from './passage.ts';
export { type Ranking, TopK } from './ranking.ts';
export { Reader, type ReaderOptions } from './reader/reader.ts';
export type { Fingerprints } from './segment/fingerprint.ts';
export { SEGMENT_SUFFIX, type SegmentInfo } from './segment/format.ts';
export { lacksHnsw, writeHnsw } from './segment/graph.ts';
export { mergeSegments } from './segment/merge.ts';
export { SegmentReader } from './segment/reader.ts';
export { SegmentWriter } from './segment/writer.ts';
export type { VectorMode } from './vectors/choose.ts';
export type { VectorIndex } from './vectors/exact.ts';
export { asStored } from './vectors/matrix.ts';
export { IndexWriter } from './writer.ts';
