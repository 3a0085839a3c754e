/** Asks a server as an agent does, and keeps its answer exactly as the tool gives it. */

import { createHash } from 'node:crypto';
import type { Client } from '@modelcontextprotocol/client';
import * as z from 'zod';

/** What one call of search_skills showed. */
export interface Shown {
  /** The text of the answer. */
  readonly text: string;
  /** Full ids of the hits, by the id that the answer shows; in order. */
  readonly skills: ReadonlyMap<string, string>;
  /** The same of the skills behind the hits, which the answer only names. */
  readonly also: ReadonlyMap<string, string>;
}

type Caller = Pick<Client, 'callTool'>;

/** The server names at most five skills behind the usual five hits. */
const SHOWN_AND_NAMED = 10;

const named = z.object({ also: z.array(z.string()).default([]) });
const detailed = z.object({
  hits: z.array(z.object({ id: z.string(), detail: z.object({ full_id: z.string() }) })),
});

/** The server must answer with text and structured content. Throws if it returns an error. */
export async function show(client: Caller, query: string): Promise<Shown> {
  const { text, structured } = await call(client, { query });
  // The shown answer has short ids; the details of the same search have the whole ones.
  const skills = await fullIds(client, { query });
  const { also } = named.parse(structured);
  if (also.length === 0) return { text, skills, also: new Map() };
  const behind = await fullIds(client, { query, top_k: SHOWN_AND_NAMED });
  return {
    text,
    skills,
    also: new Map(
      also.map((id) => {
        const full = behind.get(id);
        if (full === undefined)
          throw new Error(`The answer names ${id}, but ten hits do not have it: ${text}`);
        return [id, full];
      }),
    ),
  };
}

async function fullIds(client: Caller, args: Record<string, unknown>): Promise<Map<string, string>> {
  const { text, structured } = await call(client, { ...args, detail: true });
  const parsed = detailed.safeParse(structured);
  if (!parsed.success) throw new Error(`A search returned no hits to choose from: ${text}`);
  return new Map(parsed.data.hits.map(({ id, detail }) => [id, detail.full_id]));
}

async function call(client: Caller, args: Record<string, unknown>) {
  const { content, structuredContent, isError } = await client.callTool({
    name: 'search_skills',
    arguments: args,
  });
  const text = content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');
  if (isError === true) throw new Error(`A search returned an error: ${text}`);
  return { text, structured: structuredContent };
}

/**
 * Names an answer: equal for the same words. The probability does not count: it moves with every change of the ranking,
 * and a choice does not depend on its last digit. Nor does the cursor: its hash changes with every new filter. Nor the note
 * that the folders are still being checked: a slow machine has it.
 */
export function fingerprint(text: string): string {
  const [verdict = '', ...lines] = text.split('\n');
  const words = [
    verdict.replace(/(?<=: |\()[01](\.\d+)?(?=[;.)])/g, ''),
    ...lines.filter((line) => !line.startsWith('next_cursor: ') && !line.startsWith(BEHIND)),
  ];
  return createHash('sha256').update(words.join('\n')).digest('hex').slice(0, 12);
}

const BEHIND = 'Note: The folders have not been checked yet';

/** What the server says of search_skills. */
export async function searchTool(client: Pick<Client, 'listTools'>): Promise<unknown> {
  const { tools } = await client.listTools();
  const { name, description, inputSchema } = tools.find((tool) => tool.name === 'search_skills')!;
  return { name, description, inputSchema };
}
