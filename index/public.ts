/**
 * The index: finds the documents nearest to a vector and those that contain given words. The rest of the repository
 * imports it as `#index`, which is this file. It knows nothing of skills, models, MCP or HTTP.
 *
 * - A *document* is a list of passages. A *segment* is one immutable file with some documents. It consists of named
 *   sections, each with a CRC-32. Payloads and passages are records on disk with a checksum each, read one by one.
 * - A *generation* is a *manifest* that lists segments and their dead documents. Replacing `CURRENT`, which names the
 *   manifest, commits it. Readers keep the files of their generation open, even after these are removed.
 * - Data that fails a checksum is never returned: the read throws `INDEX_DAMAGED`, and the caller rebuilds the index.
 * - Postings, passage vectors and forward records (which passages of a document contain a term) are paged. Each page of
 *   4 KB has a checksum and is read at its first use. A new reader reuses the segments, vectors and graph that it
 *   shares with the previous one.
 * - Vectors are int8 with one scale per row, queries are int16. A search scans one summary vector per document in
 *   WebAssembly SIMD; only the best candidates' passages are scored. Large indexes have an HNSW graph instead, loaded
 *   in the background.
 * - `candidates.ts` is the port of retrieval: files implement it, and `remote/` over parts of segments that are elsewhere, of
 *   which only an outline (`segment/outline.ts`) is here.
 * - Words are ranked by BM25F over name, description, body and references. Terms are stored as 64-bit hashes and
 *   postings as precomputed impacts, so a query only adds. Identifiers from code are also indexed verbatim. Mean field
 *   lengths stay fixed between full merges, so impacts of all segments are comparable.
 * - Worker threads build segments side by side. A merge neither embeds nor tokenises, and streams postings.
 *   `compaction.ts` decides when to merge.
 */

export {
  type CandidateIndex,
  type CandidateQuery,
  candidatesIn,
  type DocumentReader,
  type FoundCandidates,
} from './candidates.ts';
export {
  type Directory,
  type OpenFile,
  readJson,
  readWhole,
  writeJson,
  writeJsonIfPossible,
  writeWhole,
} from './directory/directory.ts';
export { diskDirectory } from './directory/disk.ts';
export { memoryDirectory } from './directory/memory.ts';
export type { Embedder } from './embedder.ts';
export { IndexError, type IndexErrorCode } from './errors.ts';
export { analyze, termsOf } from './lexical/analysis/analyzer.ts';
export { languageOf } from './lexical/language/detect.ts';
export { loadStemmers } from './lexical/language/stemmers.ts';
export { blocksOf, type PostingsBlock } from './lexical/postings/block.ts';
export type { FieldAverages } from './lexical/postings/bm25f.ts';
export { counterfactualSignals } from './lexical/query/counterfactual.ts';
export { findTerms } from './lexical/query/find-terms.ts';
export { type LexicalQuery, wordsOf } from './lexical/query/query.ts';
export { wordWeight } from './lexical/query/word-weights.ts';
export { generationFiles, type HnswInfo, type IndexManifest, readManifest } from './manifest.ts';
export { FIELDS, type Field, type IndexDocument, type Passage } from './passage.ts';
export { seeded } from './random.ts';
export { type Ranking, TopK } from './ranking.ts';
export { Reader } from './reader/reader.ts';
export { RemoteCache } from './remote/cache.ts';
export { RemoteCandidates } from './remote/candidates.ts';
export type {
  NearDocument,
  NearestRequest,
  RemoteRange,
  RemoteSource,
  WantedTerms,
} from './remote/source.ts';
export type { Fingerprints } from './segment/fingerprint.ts';
export { SEGMENT_FORMAT, SEGMENT_SUFFIX, type SegmentInfo } from './segment/format.ts';
export { lacksHnsw, writeHnsw } from './segment/graph.ts';
export { mergeSegments } from './segment/merge.ts';
export { type RemoteFile, writeOutline } from './segment/outline.ts';
export { SegmentReader } from './segment/reader.ts';
export { SegmentWriter } from './segment/writer.ts';
export type { VectorMode } from './vectors/choose.ts';
export { dot } from './vectors/dot.ts';
export { ExactIndex, type VectorIndex } from './vectors/exact.ts';
export { quantize } from './vectors/int8.ts';
export { asStored, Int8Matrix } from './vectors/matrix.ts';
export { recallOf } from './vectors/recall.ts';
export { IndexWriter } from './writer.ts';
