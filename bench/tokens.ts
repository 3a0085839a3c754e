/** What the built server costs an agent in context: tokens of its list of tools and of each answer, as text and structured. */

import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { encode } from 'gpt-tokenizer/encoding/o200k_base';
import * as z from 'zod';
import { quantile } from './evaluation/statistics.ts';
import { columns } from './evaluation/table.ts';

/** Tokens of one answer in the two forms of which a host shows the model one. */
export interface AnswerTokens {
  readonly text: number;
  /** Null where answers have no structured content. */
  readonly structured: number | null;
  readonly weak: boolean;
}

interface ServerTokens {
  readonly answers: readonly AnswerTokens[];
  /** Of the whole list of tools as JSON, with output schemas and without. */
  readonly tools: { readonly both: number; readonly text: number };
}

/** With the vocabulary of current OpenAI models; those of other vendors give similar numbers. */
export const tokensIn = (text: string) => encode(text).length;

/** Runs `use` with a client of the server `node …` over stdio. */
export async function withClient<T>(
  node: readonly string[],
  use: (client: Client) => Promise<T>,
): Promise<T> {
  const client = new Client({ name: 'skillgate-bench', version: '1' });
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [...node],
    stderr: 'ignore',
  });
  await client.connect(transport);
  try {
    return await use(client);
  } finally {
    await client.close();
  }
}

/** Tokens of the whole list of tools as JSON. */
export const toolTokens = async (client: Client) =>
  tokensIn(JSON.stringify((await client.listTools()).tools));

const verdict = z.object({ weak: z.boolean() });

/** Asks one query, five hits. */
export async function answerTokens(client: Client, query: string): Promise<AnswerTokens> {
  const { content, structuredContent, isError } = await client.callTool({
    name: 'search_skills',
    arguments: { query },
  });
  const text = content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');
  if (isError === true) throw new Error(`A search returned an error: ${text}`);
  return {
    text: tokensIn(text),
    structured: structuredContent === undefined ? null : tokensIn(JSON.stringify(structuredContent)),
    weak: verdict.safeParse(structuredContent).data?.weak === true,
  };
}

/** Median, p95 and most of each form, of the answers that claim a fit and of the weak ones. */
export function tokensTable({ answers, tools }: ServerTokens): string {
  const row = (name: string, values: readonly number[]) => [
    name,
    String(values.length),
    ...[0.5, 0.95, 1].map((share) => (values.length === 0 ? '–' : quantile([...values], share).toFixed(0))),
  ];
  const rows = [false, true].flatMap((weak) => {
    const own = answers.filter((answer) => answer.weak === weak);
    const name = weak ? 'weak answer' : 'answer';
    return [
      row(
        `${name}, text`,
        own.map(({ text }) => text),
      ),
      row(
        `${name}, structured`,
        own.flatMap(({ structured }) => structured ?? []),
      ),
    ];
  });
  return `${columns([['tokens', 'answers', 'median', 'p95', 'most'], ...rows])}
tools/list: ${tools.both} tokens with output schemas, ${tools.text} without (--answers text)
`;
}
