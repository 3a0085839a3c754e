/** The port through which skills reach the catalog. A source finds folders; it does not read what they hold. */

import type { Diagnostic } from '../../skills/skill.ts';
import type { SkillFolder } from '../entry.ts';

/** What one look at a source found. */
export interface Scan {
  /** In code-unit order of id; ids are unique within the scan and not yet qualified by the source. */
  readonly folders: readonly SkillFolder[];
  /** What could not be looked at, and why. Paths are relative to the source's root. */
  readonly diagnostics: readonly Diagnostic[];
}

/** A part of a source that can be scanned by itself. */
export interface PartialScan {
  /** Absolute: below it lies what `scan` finds. */
  readonly root: string;
  /**
   * What a whole scan would find at or below `path` (relative to the root, with `/`, not the root itself), provided
   * that no skill above it owns its files. Null where only a whole scan can tell: for links, and for what is large.
   */
  scan(path: string): Scan | null;
}

export interface Source {
  /** `[a-z0-9-]+`, unique in the catalog; the authority of its skills' URIs. */
  readonly name: string;
  /**
   * Never rejects for what it finds, however broken: that becomes a diagnostic. Rejects with the signal's reason
   * where that aborts. Two scans of an unchanged source give equal results.
   */
  scan(signal?: AbortSignal): Promise<Scan>;
  /** How to look again at a part; absent where only whole scans are made. */
  readonly partial?: PartialScan;
}
