/** The public API of the package, for other programs. */

export { diskDirectory, IndexError, type IndexErrorCode, memoryDirectory } from '#index';
export type { CatalogEntry, Source } from './catalog/public.ts';
export { openEmbedder } from './embed/public.ts';
export {
  type CatalogSummary,
  type Gateway,
  GatewayError,
  type GatewayErrorCode,
  type LoadedSkill,
  openGateway,
  type ReadResult,
  type TextSlice,
} from './gateway/public.ts';
export type { IndexReport } from './indexing/public.ts';
export { inProcessWorker } from './indexing/public.ts';
export type { BundleAnswer, BundleMember, BundlePart, WhyAnswer } from './insights/public.ts';
export { Library, type LibraryOptions } from './library/public.ts';
export type { Evidence, Filter, Lead, SearchAnswer, SearchHit, SearchRequest } from './search/public.ts';
export type { Diagnostic, Skill } from './skills/public.ts';
export { parseSkill } from './skills/public.ts';
export { localSource } from './sources/public.ts';
