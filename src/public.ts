/** The public API of the package, for other programs. */

export { diskDirectory, IndexError, type IndexErrorCode, memoryDirectory } from '#index';
export type { CatalogEntry } from './catalog/entry.ts';
export { localSource } from './catalog/sources/local.ts';
export type { Source } from './catalog/sources/source.ts';
export { openEmbedder } from './embed/open.ts';
export {
  type CatalogSummary,
  type Gateway,
  GatewayError,
  type GatewayErrorCode,
  type LoadedSkill,
  type ReadResult,
  type TextSlice,
} from './gateway/gateway.ts';
export { Library, type LibraryOptions } from './gateway/library.ts';
export { openGateway } from './gateway/open.ts';
export type { IndexReport } from './indexing/report.ts';
export { inProcessWorker } from './indexing/worker-pool.ts';
export type { Evidence, Filter, Lead, SearchAnswer, SearchHit, SearchRequest } from './search/answer.ts';
export type { BundleAnswer, BundleMember, BundlePart } from './search/bundle.ts';
export type { WhyAnswer } from './search/why.ts';
export { parseSkill } from './skills/parse.ts';
export type { Diagnostic, Skill } from './skills/skill.ts';
