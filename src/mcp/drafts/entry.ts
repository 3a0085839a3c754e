/**
 * One entry of `skills/list` for clients of every dialect: the Skills extension's {uri, frontmatter, resources},
 * draft A's {name, description, title, keywords, annotations} and draft B's {version, tags, arguments, dependencies}.
 */

import type { Skill } from '@modelcontextprotocol/server/ext/skills';
import type { CatalogEntry } from '../../catalog/public.ts';
import type { SkillLabel } from '../../gateway/public.ts';
import { argumentsOf, type SkillArgument } from './arguments.ts';

interface Dependencies {
  readonly tools: readonly string[];
  readonly prompts: readonly string[];
  readonly resources: readonly string[];
}

interface DraftFields {
  /** Name for `skills/read` and `skills/get`. */
  readonly name: string;
  readonly title?: string;
  readonly description: string;
  readonly version?: string;
  readonly keywords?: readonly string[];
  readonly tags?: readonly string[];
  readonly arguments?: readonly SkillArgument[];
  readonly dependencies?: Dependencies;
  readonly annotations: { readonly audience: readonly 'assistant'[]; readonly lastModified?: string };
}

/** An entry of the list; `published` is the extension's entry of the same skill. */
export const listEntry = (published: Skill, entry: CatalogEntry, label: SkillLabel) => ({
  ...published,
  ...draftFields(entry, label, published.frontmatter),
});

function draftFields(
  { name: written, title = written, description, tags, mcpTools }: CatalogEntry,
  { name, modifiedAt }: SkillLabel,
  frontmatter: Readonly<Record<string, unknown>>,
): DraftFields {
  const version = versionOf(frontmatter);
  const declared = argumentsOf(frontmatter);
  const dependencies = dependenciesOf(mcpTools);
  return {
    name,
    ...(title !== name && { title }),
    description,
    ...(version !== undefined && { version }),
    ...(tags.length > 0 && { keywords: tags, tags }),
    ...(declared.length > 0 && { arguments: declared }),
    ...(dependencies !== undefined && { dependencies }),
    annotations: {
      // Skills are written for models; users choose them through prompts.
      audience: ['assistant'],
      ...(modifiedAt !== undefined && { lastModified: modifiedAt }),
    },
  };
}

/** MCP tools that the author names. `allowed-tools` are tools of the host; front matter has no prompts or resources. */
export const dependenciesOf = (mcpTools: readonly string[]): Dependencies | undefined =>
  mcpTools.length === 0 ? undefined : { tools: mcpTools, prompts: [], resources: [] };

function versionOf(frontmatter: Readonly<Record<string, unknown>>): string | undefined {
  const { metadata } = frontmatter;
  const inside = metadata instanceof Object && 'version' in metadata ? metadata.version : undefined;
  const version = inside ?? frontmatter.version;
  // YAML reads `version: 1.0` as the number 1.
  return typeof version === 'string' || typeof version === 'number' ? String(version) : undefined;
}
