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
}

type Caller = Pick<Client, 'callTool'>;

const detailed = z.object({
  hits: z.array(z.object({ id: z.string(), detail: z.object({ full_id: z.string() }) })),
});

/** The server must answer with text and structured content. Throws if it returns an error. */
export async function show(client: Caller, query: string): Promise<Shown> {
  const { text } = await call(client, { query });
  // The shown answer has short ids; the details of the same search have the whole ones.
  const { structured } = await call(client, { query, detail: true });
  const parsed = detailed.safeParse(structured);
  if (!parsed.success) throw new Error(`A search returned no hits to choose from: ${text}`);
  return { text, skills: new Map(parsed.data.hits.map(({ id, detail }) => [id, detail.full_id])) };
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
 * Names an answer: equal for the same words. Scores and probabilities do not count: they move with every change of the ranking,
 * and a choice does not depend on their last digit.
 */
export function fingerprint(text: string): string {
  const [verdict = '', ...lines] = text.split('\n');
  const words = [
    verdict.replace(/(?<=: |\()[01](\.\d+)?(?=[;.)])/g, ''),
    ...lines.map((line) => line.replace(/^(- \S+) [01](\.\d+)?(?=:|$| \[)/, '$1')),
  ];
  return createHash('sha256').update(words.join('\n')).digest('hex').slice(0, 12);
}

/** What the server says of search_skills. */
export async function searchTool(client: Pick<Client, 'listTools'>): Promise<unknown> {
  const { tools } = await client.listTools();
  const { name, description, inputSchema } = tools.find((tool) => tool.name === 'search_skills')!;
  return { name, description, inputSchema };
}
