/** Every kind of request to the registry of Agentic Resource Discovery, over texts that name hidden skills, visible ones and none. */

import { Registry } from '../../../extensions/ard/registry.ts';
import { ardSchema } from '../../../src/app/config/sections/ard.ts';
import type { Library } from '../../../src/catalog/library.ts';
import type { Gateway } from '../../../src/gateway/gateway.ts';
import { QUERIES, URIS } from './probes.ts';

const FILTERS = [{}, { tags: ['pdf'] }, { tags: ['internal'] }, { 'metadata.source': ['open', 'closed'] }];
const LISTED = ["tags = 'Internal'", "metadata.source = 'closed'", "type = 'application/ai-skill'"];

const PROBES: readonly (readonly [path: string, request: Readonly<Record<string, unknown>>])[] = [
  ...QUERIES.flatMap((text) =>
    FILTERS.flatMap((filter) =>
      [1, 50].map((pageSize) => ['search', { query: { text, filter }, pageSize }] as const),
    ),
  ),
  ...[undefined, ...LISTED].flatMap((filter) =>
    [1, 50].map((pageSize) => ['agents', { ...(filter !== undefined && { filter }), pageSize }] as const),
  ),
  ['explore', { resultType: { facets: [{ field: 'tags' }] } }],
  ...URIS.map((uri) => [uri.replace('skill://', 'skills/'), {}] as const),
];

/** All answers as text, with those of the following pages. */
export async function registryAnswers(gateway: Gateway, library: Library): Promise<string[]> {
  const registry = new Registry({ config: ardSchema.parse({ publisher: 'example.com' }), log: () => {} });
  const answers: string[] = [];
  for (const [path, request] of PROBES)
    for (let pageToken: string | undefined; ; ) {
      const asked = { ...request, ...(pageToken !== undefined && { pageToken }) };
      const open = async () => ({ gateway, library });
      const reply = await registry.answer(path, asked, open, 'https://example.com/ard/api');
      answers.push(`${path} ${JSON.stringify(asked)} ${JSON.stringify(reply)}`);
      pageToken = 'body' in reply && 'pageToken' in reply.body ? String(reply.body.pageToken) : undefined;
      if (pageToken === undefined) break;
    }
  return answers;
}
