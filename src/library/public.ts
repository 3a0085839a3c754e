/**
 * An open catalog: which snapshot answers, when folders are scanned, what follows from a scan.
 *
 * A snapshot is a generation of the index with its catalog; it is immutable, and a new one replaces it in one step. Commands
 * wait for a scan. A server waits for a quick one only, and otherwise answers from the snapshot it has. Damage that a checksum
 * finds leads to a new index and a repeated call. The JSON files next to the index are caches: without them the next start
 * only takes longer.
 */

export {
  Library,
  type LibraryOptions,
  type LibraryView,
  type ReadableFile,
  type ServedLibrary,
} from './library.ts';
export type { Learning } from './library-options.ts';
export { Replica, type ReplicaOptions } from './replica.ts';
export { type CatalogSummary, summarise } from './summary.ts';
