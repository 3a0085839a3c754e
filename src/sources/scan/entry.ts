/** What the index stores of a skill, so that it can be listed without opening its files. */

import { readNeeds } from '../../skills/needs.ts';
import { servedName } from '../../skills/served.ts';
import type { Skill, SkillFile } from '../../skills/skill.ts';
import type { Mark } from '../../skills/suspicion.ts';
import type { SkillFolder } from '../source.ts';

type Described =
  | 'name'
  | 'title'
  | 'description'
  | 'version'
  | 'tags'
  | 'license'
  | 'allowedTools'
  | 'mcpTools'
  | 'strict';

/** A skill in the index: the payload of its document. */
export interface CatalogEntry
  extends Pick<SkillFolder, 'id' | 'source' | 'folder' | 'atRoot' | 'file'>,
    Pick<Skill, Described> {
  /** Of its skill file, as the protocol's Skills extension serves it: it ends in `/<name>/SKILL.md`. */
  readonly uri: string;
  /** Servers, programs, keys and platforms that its front matter names as needed; absent if there are none. */
  readonly needs?: readonly string[];
  /** Hex SHA-256 over the paths and contents of all its files. */
  readonly digest: string;
  /** Paths of its scripts and references. */
  readonly scripts: readonly string[];
  readonly references: readonly string[];
  /** True for a skill that was fetched from elsewhere; else absent. Set by the gateway, not in the index. */
  readonly remote?: true;
  /** What is suspicious in its skill file and references; absent if nothing is. */
  readonly marks?: readonly Mark[];
}

/** The entry of a parsed skill. `digest` is `digestFiles` over its files. */
export function toEntry(
  folder: SkillFolder,
  skill: Skill,
  digest: string,
  marks: readonly Mark[] = [],
): CatalogEntry {
  const pathsOfKind = (kind: SkillFile['kind']) =>
    folder.files.filter((file) => file.kind === kind).map(({ path }) => path);
  const needs = readNeeds(skill.frontmatter);
  return {
    id: folder.id,
    source: folder.source,
    uri: servedUri(folder.uri, skill),
    folder: folder.folder,
    ...(folder.atRoot === true ? { atRoot: true } : {}),
    file: folder.file,
    name: skill.name,
    title: skill.title,
    description: skill.description,
    version: skill.version,
    tags: skill.tags,
    license: skill.license,
    allowedTools: skill.allowedTools,
    mcpTools: skill.mcpTools,
    ...(needs.length === 0 ? {} : { needs }),
    strict: skill.strict,
    digest,
    scripts: pathsOfKind('script'),
    references: pathsOfKind('reference'),
    ...(marks.length === 0 ? {} : { marks }),
  };
}

/**
 * The folder's URI where the folder is called like the skill. Else the name follows after `/-/`, which no folder is called,
 * so that the URI of a skill is never that of another one's file.
 */
function servedUri(uri: string, skill: Skill): string {
  const root = uri.replace(/\/[^/]*$/, '');
  const folder = decodeURIComponent(root.slice(root.lastIndexOf('/') + 1));
  const name = servedName(skill, folder);
  return name === folder ? uri : `${root}/-/${name}/SKILL.md`;
}
