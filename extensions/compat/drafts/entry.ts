/**
 * One entry of `skills/list` for clients of every dialect: the Skills extension's {uri, frontmatter, resources},
 * draft A's {name, description, title, keywords, annotations} and draft B's {version, tags, arguments, dependencies}.
 */

import type { Skill } from '@modelcontextprotocol/server/ext/skills';
import * as z from 'zod';
import type { CatalogEntry } from '../../../src/app/extension-api.ts';
import type { SkillLabel } from '../../../src/gateway/gateway.ts';
import { readArguments, type SkillArgument } from '../../../src/mcp/skill-arguments.ts';

interface DraftFields {
  /** Name for `skills/read` and `skills/get`. */
  readonly name: string;
  readonly title?: string;
  readonly description: string;
  readonly version?: string;
  readonly keywords?: readonly string[];
  readonly tags?: readonly string[];
  readonly arguments?: readonly SkillArgument[];
  readonly icons?: readonly Icon[];
  readonly annotations: {
    readonly audience: readonly ('assistant' | 'user')[];
    readonly priority?: number;
    readonly lastModified?: string;
  };
}

/** `_meta` of an entry that is listed under another name than its own. */
const ORIGINAL_NAME_KEY = 'io.github.skillgate/original-name';

/** An entry of the list; `published` is the extension's entry of the same skill, `own` the server's tools. */
export function listEntry(
  published: Skill,
  entry: CatalogEntry,
  label: SkillLabel,
  own: ReadonlySet<string>,
) {
  const { _meta: others, ...more } = readDependencies(entry.mcpTools, published.frontmatter, own);
  const _meta = {
    ...published._meta,
    ...others,
    // Without a title of its own, a skill has its name as the title.
    ...(label.name !== entry.name && entry.title !== undefined && { [ORIGINAL_NAME_KEY]: entry.name }),
  };
  return {
    ...published,
    ...draftFields(entry, label, published.frontmatter),
    ...more,
    ...(Object.keys(_meta).length > 0 && { _meta }),
  };
}

function draftFields(
  { name: written, title = written, description, version, tags }: CatalogEntry,
  { name, modifiedAt }: SkillLabel,
  frontmatter: Readonly<Record<string, unknown>>,
): DraftFields {
  const declared = readArguments(frontmatter);
  const icons = readIcons(frontmatter);
  return {
    name,
    ...(title !== name && { title }),
    description,
    version,
    ...(tags.length > 0 && { keywords: tags, tags }),
    ...(declared.length > 0 && { arguments: declared }),
    ...(icons.length > 0 && { icons }),
    annotations: readAnnotations(frontmatter, modifiedAt),
  };
}

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
export function readAnnotations(
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

/** Icons in the protocol's form, or one URI. Only addresses that a client may load. */
function readIcons(frontmatter: Readonly<Record<string, unknown>>): readonly Icon[] {
  const { icons = frontmatter.icon, metadata } = frontmatter;
  const written = icons ?? (metadata instanceof Object && 'icons' in metadata ? metadata.icons : undefined);
  const items: unknown[] = Array.isArray(written) ? written : [written];
  return items.flatMap((item) => {
    const icon = iconSchema.safeParse(typeof item === 'string' ? { src: item } : item).data;
    return icon === undefined ? [] : [icon];
  });
}

const iconSchema = z.object({
  src: z.string().regex(/^(?:https:|data:image\/)/i),
  mimeType: z.string().optional().catch(undefined),
  sizes: z.array(z.string()).optional().catch(undefined),
  theme: z.enum(['light', 'dark']).optional().catch(undefined),
});
type Icon = z.infer<typeof iconSchema>;

/** `_meta` of an entry and of an answer: what the skill names and this server does not offer itself (SEP-2076). */
const OTHER_TOOLS_KEY = 'io.github.skillgate/other-tools';
const OTHER_PROMPTS_KEY = 'io.github.skillgate/other-prompts';
const OTHER_RESOURCES_KEY = 'io.github.skillgate/other-resources';
/** Prompts of `src/mcp/prompts.ts`. */
const PROMPTS = new Set(['init-skills', 'use-skill']);

const prompt = z
  .union([
    z.string().transform((name) => ({ name })),
    z.object({ type: z.literal('ref/prompt').optional(), name: z.string(), title: z.string().optional() }),
  ])
  .transform(({ name, ...more }) => ({ ...more, type: 'ref/prompt' as const, name }));
const resource = z
  .union([
    z.string().transform((uri) => ({ uri })),
    z.object({ type: z.literal('ref/resource').optional(), uri: z.string() }),
  ])
  .transform(({ uri }) => ({ type: 'ref/resource' as const, uri }));

/** `mcpTools` are those of the skill, `own` those of `tools/list`. */
export function readDependencies(
  mcpTools: readonly string[],
  { dependencies }: Readonly<Record<string, unknown>>,
  own: ReadonlySet<string>,
) {
  const named = Object(dependencies) as { readonly prompts?: unknown; readonly resources?: unknown };
  // One list for all holds references only: in real skills plain names there are packages of a language.
  const references = toList(dependencies).filter((item) => typeof item !== 'string');
  const tools = mcpTools.filter((name) => own.has(name));
  const namedPrompts = [...toList(named.prompts), ...references].flatMap(
    (item) => prompt.safeParse(item).data ?? [],
  );
  const namedResources = [...toList(named.resources), ...references].flatMap(
    (item) => resource.safeParse(item).data ?? [],
  );
  const prompts = namedPrompts.filter(({ name }) => PROMPTS.has(name));
  const resources = namedResources.filter(({ uri }) => uri.startsWith('skill://'));
  const others = {
    [OTHER_TOOLS_KEY]: mcpTools.filter((name) => !own.has(name)),
    [OTHER_PROMPTS_KEY]: namedPrompts.filter((item) => !prompts.includes(item)),
    [OTHER_RESOURCES_KEY]: namedResources.filter((item) => !resources.includes(item)),
  };
  const meta = Object.entries(others).filter(([, items]) => items.length > 0);
  return {
    ...(tools.length + prompts.length + resources.length > 0 && {
      dependencies: {
        ...(tools.length > 0 && { tools }),
        ...(prompts.length > 0 && { prompts }),
        ...(resources.length > 0 && { resources }),
      },
    }),
    ...(meta.length > 0 && { _meta: Object.fromEntries(meta) }),
  };
}

const toList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
