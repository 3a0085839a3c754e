/** What the catalog knows of a skill without opening it: small, immutable, and stored beside it in the index. */

import type { Skill, SkillFile } from '../skills/skill.ts';
import type { Mark } from '../skills/suspicion.ts';

/** A folder with a SKILL.md, found by a source and not yet read. */
export interface SkillFolder {
  /** Folder relative to the source's root, with `/`; prefixed `<source>:` where two sources collide. */
  readonly id: string;
  /** The source's name: `[a-z0-9-]+`, unique in the catalog. */
  readonly source: string;
  /** `skill://<source>/<folder relative to root, percent-encoded>/SKILL.md`. */
  readonly uri: string;
  /** Absolute path of the skill's folder. */
  readonly folder: string;
  /** The skill file's own name, mostly `SKILL.md`. */
  readonly file: string;
  /** Every file of the skill, the skill file first, then sorted by path. Nested skills' files are theirs. */
  readonly files: readonly SkillFile[];
  /** Changes when the source, the place, or a name, size, time or mode of any file does: the cheap test before hashing. */
  readonly stamp: string;
}

/** A skill as the index gives it back: the payload of its document. */
export interface CatalogEntry {
  readonly id: string;
  readonly source: string;
  readonly uri: string;
  readonly folder: string;
  readonly file: string;
  readonly name: string;
  readonly title?: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly license?: string;
  readonly allowedTools: readonly string[];
  readonly mcpTools: readonly string[];
  /** True where the protocol's Skills extension may serve it. */
  readonly strict: boolean;
  /** Hex SHA-256 over the paths and contents of all its files. */
  readonly digest: string;
  /** Scripts and references by path: enough to say what the skill holds without opening it. */
  readonly scripts: readonly string[];
  readonly references: readonly string[];
  /** What the scan found suspicious in its skill file and references; absent where nothing is. */
  readonly marks?: readonly Mark[];
}

/** What the catalog keeps of a skill that was read. `digest` is `digestFiles` over its files. */
export function entryOf(
  folder: SkillFolder,
  skill: Skill,
  digest: string,
  marks: readonly Mark[] = [],
): CatalogEntry {
  const pathsOf = (kind: SkillFile['kind']) =>
    folder.files.filter((file) => file.kind === kind).map(({ path }) => path);
  return {
    id: folder.id,
    source: folder.source,
    uri: folder.uri,
    folder: folder.folder,
    file: folder.file,
    name: skill.name,
    ...(skill.title === undefined ? {} : { title: skill.title }),
    description: skill.description,
    tags: skill.tags,
    ...(skill.license === undefined ? {} : { license: skill.license }),
    allowedTools: skill.allowedTools,
    mcpTools: skill.mcpTools,
    strict: skill.strict,
    digest,
    scripts: pathsOf('script'),
    references: pathsOf('reference'),
    ...(marks.length === 0 ? {} : { marks }),
  };
}
