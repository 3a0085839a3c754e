/** What an indexing run did, for people and programs. */

import type { IndexManifest } from '#index';
import type { CatalogSnapshot } from '../catalog/catalog.ts';
import type { Diagnostic } from '../skills/skill.ts';
import type { FolderOutcome } from './tasks.ts';

export interface IndexReport {
  /** Skills in the index now. */
  readonly skills: number;
  /** Of the index's files: those of documents that went away count until the next compaction. */
  readonly passages: number;
  readonly added: number;
  readonly changed: number;
  readonly removed: number;
  /** Untouched, or touched without a change. */
  readonly kept: number;
  /** Folders that hold nothing to index; their diagnostics say why. */
  readonly empty: number;
  /** Of this run's catalog, and of the skills it opened. */
  readonly diagnostics: readonly SkillDiagnostic[];
  readonly generation: number;
  /** Why the index was made afresh, or null. */
  readonly restarted: string | null;
  /** HNSW's recall@10 against the exact scan, or null where vectors are scanned exactly. */
  readonly hnswRecall: number | null;
  /** Wall time, ms. */
  readonly tookMs: number;
}

/** A diagnostic with the skill it is about; null for the catalog itself. */
export interface SkillDiagnostic {
  readonly skill: string | null;
  readonly diagnostic: Diagnostic;
}

/** Where a run is. Within a stage `total` stays and `done` counts up to it. */
export interface Progress {
  readonly stage: 'scan' | 'read' | 'merge' | 'graph';
  readonly done: number;
  readonly total: number;
}

/** What became of the folders that were looked at, and what there is to say of them. */
export type Counts = Pick<IndexReport, 'added' | 'changed' | 'removed' | 'kept' | 'empty' | 'diagnostics'>;

/** What is told of a run that left `manifest` in force. */
export function reportOf(
  counts: Counts,
  manifest: IndexManifest,
  restarted: Error | null,
): Omit<IndexReport, 'tookMs'> {
  return {
    skills: livingOf(manifest),
    passages: manifest.segments.reduce((sum, segment) => sum + segment.passages, 0),
    ...counts,
    generation: manifest.generation,
    restarted: restarted?.message ?? null,
    hnswRecall: manifest.hnsw?.recall ?? null,
  };
}

/** Of a run that found the index to hold exactly this catalog. */
export function nothingDone(catalog: CatalogSnapshot, manifest: IndexManifest): Counts {
  const kept = livingOf(manifest);
  const empty = catalog.folders.length - kept;
  return { added: 0, changed: 0, removed: 0, kept, empty, diagnostics: diagnosticsOf(catalog, []) };
}

const livingOf = ({ segments }: IndexManifest) =>
  segments.reduce((sum, { documents, dead }) => sum + documents - dead.length, 0);

/** Of the catalog, and of the skills that were opened. */
export function diagnosticsOf(
  catalog: Pick<CatalogSnapshot, 'diagnostics'>,
  outcomes: readonly FolderOutcome[],
): SkillDiagnostic[] {
  return [
    ...catalog.diagnostics.map((diagnostic) => ({ skill: null, diagnostic })),
    ...outcomes.flatMap(({ id, diagnostics }) =>
      diagnostics.map((diagnostic) => ({ skill: id, diagnostic })),
    ),
  ];
}
