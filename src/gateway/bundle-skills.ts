/** Bundles a set of skills for a task: checks the request, and estimates what loading each skill costs. */

import type { DocumentReader, Reader } from '#index';
import { type BundleAnswer, bundle } from '../insights/public.ts';
import type { Searchable } from '../search/public.ts';
import type { BundleSkillsRequest } from './gateway.ts';
import { GatewayError } from './gateway-error.ts';
import { DEFAULT_TOKENS, estimateTokens } from './tokens.ts';

/** Three skills at the default limit of one load; most skills are far smaller. */
const DEFAULT_BUDGET = 3 * DEFAULT_TOKENS;
/** Default number of skills in a bundle: a task with more parts is better done in steps. */
const DEFAULT_LIMIT = 5;

export async function bundleSkills(
  index: Searchable,
  { query, maxTokens = DEFAULT_BUDGET, limit = DEFAULT_LIMIT, filter }: BundleSkillsRequest,
): Promise<BundleAnswer> {
  if (query.trim() === '')
    throw new GatewayError('REQUEST_INVALID', 'The query is empty: describe the task.');
  return bundle(
    {
      query,
      maxTokens,
      limit,
      costOf: (ordinal, passages) => loadTokens(index.reader, ordinal, passages),
      ...(filter === undefined ? {} : { filter }),
    },
    index,
  );
}

/** Tokens of one load of a skill: its indexed body, up to the default limit of a load. */
export function loadTokens(
  reader: Reader,
  ordinal: number,
  passages: Pick<DocumentReader['passages'], 'get'> = reader.passages,
): number {
  let tokens = 0;
  for (const [at, kind] of reader.passages.kinds(ordinal).entries()) {
    if (kind === 'body') tokens += estimateTokens(passages.get(ordinal, at).text);
    if (tokens >= DEFAULT_TOKENS) return DEFAULT_TOKENS;
  }
  return tokens;
}
