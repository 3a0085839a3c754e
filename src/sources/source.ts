/** The port through which skills reach the catalog. A source finds folders; it does not read their files. */

import type { Diagnostic, SkillFile } from '../skills/skill.ts';

/** Most files of one skill that are listed: each check of the folder looks at all of them. */
export const MAX_FILES = 10_000;
/** Most files of a skill that the protocol's Skills extension passes on. */
export const MAX_PUBLISHED_FILES = 512;

/** Directories that are never scanned: version control, installed packages, caches. */
const IGNORED = new Set([
  ...['.git', '.hg', '.svn', '.jj', 'node_modules', 'bower_components', 'site-packages'],
  ...['.venv', '__pycache__', '.tox', '.mypy_cache', '.pytest_cache', '.ruff_cache', '.cache'],
  ...['.next', '.nuxt', '.turbo', '.yarn', '.pnpm-store', '.terraform', '.gradle'],
]);

export const isIgnoredDirectory = (name: string): boolean => IGNORED.has(name);

/** A file of a skill, and how to read it where it is not on this machine's disk. */
export interface ReadableFile extends SkillFile {
  /** Null if it cannot be had. Absent for a file below the skill's folder. */
  readonly bytes?: () => Promise<Uint8Array | null>;
  /** Of a file that the index does not know, because it is fetched when it is read: the hex SHA-256 of these bytes. */
  readonly sha256?: string;
  /**
   * A skill file of which the index knows only the front matter: a file with that lies in its place below the skill's folder,
   * and counts in the skill's digest. The file itself is had by `bytes`.
   */
  readonly standIn?: true;
}

/** A folder with a SKILL.md that a source found. Its files are not read yet. */
export interface SkillFolder {
  /** Folder relative to the source's root, with `/`; prefixed `<source>:` if two sources collide. */
  readonly id: string;
  /** The source's name: `[a-z0-9-]+`, unique in the catalog. */
  readonly source: string;
  /** `skill://<source>/<folder relative to root, percent-encoded>/SKILL.md`. */
  readonly uri: string;
  /** Absolute path of the skill's folder. */
  readonly folder: string;
  /** True for the source's root itself, whose id is no path; else absent. */
  readonly atRoot?: boolean;
  /** The skill file's name, usually `SKILL.md`. */
  readonly file: string;
  /** Every file of the skill without those of nested skills: the skill file first, then sorted by path. */
  readonly files: readonly SkillFile[];
  /** Written for the skill by someone else than its author (`kept-requests.ts`); absent if there are none. */
  readonly requests?: readonly string[];
  /**
   * Changes with the source, the folder, the requests, and the name, size, time or mode of any file: a cheap test before
   * hashing.
   */
  readonly stamp: string;
}

/** The result of scanning a source. */
export interface Scan {
  /** In code-unit order of id; ids are unique within the scan and not yet qualified by the source. */
  readonly folders: readonly SkillFolder[];
  /** What could not be read, and why. Paths are relative to the source's root. */
  readonly diagnostics: readonly Diagnostic[];
}

/** Scans of parts of a source. */
export interface PartialScan {
  /** Absolute. All skill folders are below it. */
  readonly root: string;
  /**
   * What a whole scan would find at or below `path` (relative to the root, with `/`, not the root itself), if no skill
   * above it owns its files. Null if only a whole scan can tell: because of links, or because the part is large.
   */
  scan(path: string): Scan | null;
}

/**
 * Where the skills of a source come from: folders of this machine, or fetched from elsewhere, whole or with files that are read there
 * when they are needed.
 */
export type SourceOrigin = 'local' | 'fetched' | 'elsewhere';

export interface Source {
  /** `[a-z0-9-]+`, unique in the catalog; the authority of its skills' URIs. */
  readonly name: string;
  /**
   * Rejects only with the signal's reason: whatever is broken becomes a diagnostic. Two scans of an unchanged source
   * give equal results.
   */
  scan(signal?: AbortSignal): Promise<Scan>;
  /**
   * The files that a scan would list now of the skill in that folder, as `SkillFolder.folder` names it: what may be read
   * of the skill. None if there is no such skill any more. Never rejects.
   */
  filesOf(folder: string): Promise<readonly ReadableFile[]>;
  /** Default `local`. */
  readonly origin?: SourceOrigin;
  /** Absolute: the file of requests that were written for its skills. It may be missing. */
  readonly requests?: string | undefined;
  /** Absent if the source supports only whole scans. */
  readonly partial?: PartialScan;
}
