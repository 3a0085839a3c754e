/** The report of an indexing run, for people and programs. */

import type { IndexManifest } from '../../../index/manifest.ts';
import type { Diagnostic } from '../../skills/skill.ts';
import type { CatalogSnapshot } from '../../sources/scan/catalog.ts';
import type { FolderOutcome } from './tasks.ts';

export interface IndexReport {
  /** Skills in the index now. */
  readonly skills: number;
  /** Passages in the index's files. Those of removed documents count until the next compaction. */
  readonly passages: number;
  readonly added: number;
  readonly changed: number;
  readonly removed: number;
  /** Unchanged, or written again with the same content. */
  readonly kept: number;
  /** Folders with nothing to index; their diagnostics say why. */
  readonly empty: number;
  /** Of the catalog, and of the skills that this run opened. */
  readonly diagnostics: readonly SkillDiagnostic[];
  readonly generation: number;
  /** Why the index was rebuilt from scratch, or null. */
  readonly restarted: string | null;
  /** HNSW's recall@10 against the exact scan, or null where vectors are scanned exactly. */
  readonly hnswRecall: number | null;
  /** Wall time, ms. */
  readonly tookMs: number;
}

/** A diagnostic with the skill it is about; null for the catalog itself. */
interface SkillDiagnostic {
  readonly skill: string | null;
  readonly diagnostic: Diagnostic;
}

/** Progress of a run. Within a stage `total` is constant, and `done` counts up to it. */
export interface Progress {
  readonly stage: 'scan' | 'read' | 'merge' | 'graph';
  readonly done: number;
  readonly total: number;
}

/** The part of the report about folders. */
export type Counts = Pick<IndexReport, 'added' | 'changed' | 'removed' | 'kept' | 'empty' | 'diagnostics'>;

/** The report of a run after which `manifest` is committed. */
export function toReport(
  counts: Counts,
  manifest: IndexManifest,
  restarted: Error | null,
): Omit<IndexReport, 'tookMs'> {
  return {
    skills: liveDocuments(manifest),
    passages: manifest.segments.reduce((sum, segment) => sum + segment.passages, 0),
    ...counts,
    generation: manifest.generation,
    restarted: restarted?.message ?? null,
    hnswRecall: manifest.hnsw?.recall ?? null,
  };
}

/** The counts of a run that found nothing to do. */
export function unchangedCounts(catalog: CatalogSnapshot, manifest: IndexManifest): Counts {
  const kept = liveDocuments(manifest);
  const empty = catalog.folders.length - kept;
  return { added: 0, changed: 0, removed: 0, kept, empty, diagnostics: readDiagnostics(catalog, []) };
}

const liveDocuments = ({ segments }: IndexManifest) =>
  segments.reduce((sum, { documents, dead }) => sum + documents - dead.length, 0);

/** Diagnostics of the catalog, then of the opened skills. */
export function readDiagnostics(
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
