/**
 * One entry of `skills/list` for clients of every dialect: the Skills extension's {uri, frontmatter, resources},
 * draft A's {name, description, title, keywords, annotations} and draft B's {version, tags, arguments, dependencies}.
 */

import type { Skill } from '@modelcontextprotocol/server/ext/skills';
import * as z from 'zod';
import type { SkillLabel } from '../../../src/gateway/gateway.ts';
import { argumentsOf, type SkillArgument } from '../../../src/mcp/skill-arguments.ts';
import type { CatalogEntry } from '../../../src/sources/scan/entry.ts';

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
  readonly annotations: {
    readonly audience: readonly ('assistant' | 'user')[];
    readonly priority?: number;
    readonly lastModified?: string;
  };
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
  const dependencies = dependenciesOf(mcpTools, frontmatter);
  return {
    name,
    ...(title !== name && { title }),
    description,
    version,
    ...(tags.length > 0 && { keywords: tags, tags }),
    ...(declared.length > 0 && { arguments: declared }),
    dependencies,
    annotations: annotationsOf(frontmatter, modifiedAt),
  };
}

/** The tools that a skill depends on, and what else its front matter's `dependencies` names. `allowed-tools` are the host's. */
export function dependenciesOf(
  mcpTools: readonly string[],
  frontmatter: Readonly<Record<string, unknown>>,
): Dependencies | undefined {
  const { prompts = [], resources = [] } = dependenciesSchema.parse(frontmatter.dependencies) ?? {};
  const all = { tools: mcpTools, prompts, resources };
  return Object.values(all).every(({ length }) => length === 0) ? undefined : all;
}

const names = z.array(z.string()).optional().catch(undefined);
const dependenciesSchema = z.object({ prompts: names, resources: names }).optional().catch(undefined);

const annotationsSchema = z
  .object({
    audience: z
      .union([
        z.enum(['user', 'assistant']).transform((one) => [one]),
        z.array(z.enum(['user', 'assistant'])),
      ])
      .optional()
      .catch(undefined),
    priority: z.number().min(0).max(1).optional().catch(undefined),
    lastModified: z.iso.datetime({ offset: true }).or(z.iso.date()).optional().catch(undefined),
  })
  .catch({});

/** What the author wrote, at the top level or in `metadata`; else that skills are for models, and the file's age. */
function annotationsOf(
  frontmatter: Readonly<Record<string, unknown>>,
  modifiedAt: string | undefined,
): DraftFields['annotations'] {
  const { metadata } = frontmatter;
  const nested = metadata instanceof Object && 'annotations' in metadata ? metadata.annotations : undefined;
  const {
    audience,
    priority,
    lastModified = modifiedAt,
  } = annotationsSchema.parse(frontmatter.annotations ?? nested);
  return {
    // Skills are written for models; users choose them through prompts.
    audience: audience ?? ['assistant'],
    priority,
    lastModified,
  };
}

function versionOf(frontmatter: Readonly<Record<string, unknown>>): string | undefined {
  const { metadata } = frontmatter;
  const inside = metadata instanceof Object && 'version' in metadata ? metadata.version : undefined;
  const version = inside ?? frontmatter.version;
  // YAML reads `version: 1.0` as the number 1.
  return typeof version === 'string' || typeof version === 'number' ? String(version) : undefined;
}
