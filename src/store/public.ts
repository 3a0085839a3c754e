/**
 * Where several gateways share one catalog: a PostgreSQL database, or a folder that their machines share.
 *
 * Files of the index are immutable, and a small manifest commits them: that is all that copying an index needs. The one writer
 * publishes a generation in one step (`publish.ts`); every gateway copies the files that it lacks (`pull.ts`), checks their
 * digests, and searches its own copy, so that its answers are those of the embedded index. `index-store.ts` is the port. A lease
 * decides who writes (`election.ts`); its fence refuses one that lost it. Files of skills are objects too, fetched when they are
 * read (`skill-cache.ts`). A database also holds what else gateways share: settings, sums of the rate limits, the audit log
 * (`postgres/shared-*.ts`), and, where an index does not fit a gateway's memory, rows to search (`postgres/search-*.ts`): gateways
 * then copy outlines of the segments only. Knows no configuration.
 */

export { takePart } from './election.ts';
export { FolderStore } from './folder-store.ts';
export type { Collected, IndexStore, Lease, PublishedIndex, StoreStatus } from './index-store.ts';
export { type ConnectOptions, connect } from './postgres/connect.ts';
export type { Database, Querying } from './postgres/database.ts';
export { grantsFor, migrate, requireSchema } from './postgres/migrations.ts';
export { PostgresStore } from './postgres/postgres-store.ts';
export { SearchReader } from './postgres/search-reader.ts';
export { migrateSearch, requireSearch, searchGrantsFor } from './postgres/search-tables.ts';
export { SearchWriter } from './postgres/search-writer.ts';
export { SharedLog } from './postgres/shared-log.ts';
export { type Setting, SharedSettings } from './postgres/shared-settings.ts';
export { SharedUsage } from './postgres/shared-usage.ts';
export { entriesOf, liveSkills, Publisher } from './publish.ts';
export { fetchWhole, forget, type OutlineSource, pull } from './pull.ts';
export { SkillCache } from './skill-cache.ts';
export { isStoreError, StoreError } from './store-error.ts';
