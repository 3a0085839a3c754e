/**
 * What a skill depends on, as SEP-2076 writes it: names of tools that this server's `tools/list` has, references to
 * prompts and resources. Other tools stand under a key of their own, because the draft allows none there.
 */

import * as z from 'zod';

interface PromptReference {
  readonly type: 'ref/prompt';
  readonly name: string;
  readonly title?: string | undefined;
}

interface ResourceReference {
  readonly type: 'ref/resource';
  readonly uri: string;
}

export interface Dependencies {
  readonly tools?: readonly string[];
  readonly prompts?: readonly PromptReference[];
  readonly resources?: readonly ResourceReference[];
}

/** `_meta` of an entry and of an answer: tools that the skill names and this server does not have itself. */
const OTHER_TOOLS_KEY = 'io.github.skillgate/other-tools';

const prompt = z
  .union([
    z.string().transform((name) => ({ name })),
    z.object({ type: z.literal('ref/prompt').optional(), name: z.string(), title: z.string().optional() }),
  ])
  .transform(({ name, ...more }): PromptReference => ({ ...more, type: 'ref/prompt', name }));
const resource = z
  .union([
    z.string().transform((uri) => ({ uri })),
    z.object({ type: z.literal('ref/resource').optional(), uri: z.string() }),
  ])
  .transform(({ uri }): ResourceReference => ({ type: 'ref/resource', uri }));

/** `mcpTools` are those of the skill, `own` those of `tools/list`. */
export function dependenciesOf(
  mcpTools: readonly string[],
  { dependencies }: Readonly<Record<string, unknown>>,
  own: ReadonlySet<string>,
): { readonly dependencies?: Dependencies; readonly _meta?: Readonly<Record<string, unknown>> } {
  const named = Object(dependencies) as { readonly prompts?: unknown; readonly resources?: unknown };
  // One list for all holds references only: in real skills plain names there are packages of a language.
  const references = listOf(dependencies).filter((item) => typeof item !== 'string');
  const tools = mcpTools.filter((name) => own.has(name));
  const prompts = [...listOf(named.prompts), ...references].flatMap(
    (item) => prompt.safeParse(item).data ?? [],
  );
  const resources = [...listOf(named.resources), ...references].flatMap(
    (item) => resource.safeParse(item).data ?? [],
  );
  const others = mcpTools.filter((name) => !own.has(name));
  return {
    ...(tools.length + prompts.length + resources.length > 0 && {
      dependencies: {
        ...(tools.length > 0 && { tools }),
        ...(prompts.length > 0 && { prompts }),
        ...(resources.length > 0 && { resources }),
      },
    }),
    ...(others.length > 0 && { _meta: { [OTHER_TOOLS_KEY]: others } }),
  };
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
