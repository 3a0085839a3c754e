/** Bytes of `resources/read` and of similar results in the drafts. */

import * as z from 'zod';
import type { FetchContext } from './fetch-context.ts';
import { SkillRefusedError } from './fetch-context.ts';

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
