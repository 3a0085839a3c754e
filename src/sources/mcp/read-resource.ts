/** Bytes of `resources/read` and of similar results in the drafts. */

import { stringify } from 'yaml';
import * as z from 'zod';
import { MCP_TOOLS_KEY } from '../../skills/fields.ts';
import { type FetchContext, SkillRefusedError } from './fetch-context.ts';

export const contentsSchema = z.union([
  z.looseObject({ uri: z.string().optional(), text: z.string() }),
  z.looseObject({ uri: z.string().optional(), blob: z.base64() }),
]);

export function bytesOf(contents: z.output<typeof contentsSchema>): Uint8Array {
  return 'text' in contents && typeof contents.text === 'string'
    ? Buffer.from(contents.text, 'utf8')
    : Buffer.from(String(contents.blob), 'base64');
}

const readSchema = z.looseObject({ contents: z.array(contentsSchema).max(1_000) });

/** One resource. Its bytes are not verified. */
export async function readResource({ client, options }: FetchContext, uri: string): Promise<Uint8Array> {
  const { contents } = await client.request(
    { method: 'resources/read', params: { uri } },
    readSchema,
    options,
  );
  const own = contents.find((item) => item.uri === uri) ?? contents[0];
  if (own === undefined) throw new SkillRefusedError(`${uri} has no contents`);
  return bytesOf(own);
}

interface SkillParts {
  readonly name: string;
  readonly description: string;
  readonly instructions: string;
  /** Strings by key; other values are left out. */
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly tools: readonly string[];
}

/** Instructions with their own front matter are the whole file: some servers send them like that. */
export function skillText({ name, description, instructions, metadata, tools }: SkillParts): Uint8Array {
  if (/^\ufeff?---\r?\n/.test(instructions)) return Buffer.from(instructions, 'utf8');
  const kept = Object.entries(metadata).filter(([, value]) => typeof value === 'string');
  const all = Object.fromEntries([...kept, ...(tools.length > 0 ? [[MCP_TOOLS_KEY, tools.join(' ')]] : [])]);
  const head = { name, description, ...(Object.keys(all).length > 0 && { metadata: all }) };
  const options = { lineWidth: 0, defaultStringType: 'QUOTE_DOUBLE', defaultKeyType: 'PLAIN' } as const;
  return Buffer.from(`---\n${stringify(head, options)}---\n${instructions}`, 'utf8');
}
