/** What an indexing run did, for people and programs. */

import type { Diagnostic } from '../skills/skill.ts';

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
