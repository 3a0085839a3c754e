/** Bundles: what loading a skill costs, and the search's own answer. */

import type { Reader } from '#index';
import { type BundleAnswer, bundle } from '../search/bundle.ts';
import type { Searchable } from '../search/search.ts';
import { type BundleSkillsRequest, GatewayError } from './gateway.ts';
import { DEFAULT_TOKENS, estimateTokens } from './tokens.ts';

/** Three skills that fill what one call of load_skill gives; most are far smaller. */
const DEFAULT_BUDGET = 3 * DEFAULT_TOKENS;
/** Most skills of a bundle, unless asked otherwise: a task of more parts is better done in steps. */
const DEFAULT_LIMIT = 5;

export async function bundleSkills(
  index: Searchable,
  { query, maxTokens = DEFAULT_BUDGET, limit = DEFAULT_LIMIT, filter }: BundleSkillsRequest,
): Promise<BundleAnswer> {
  if (query.trim() === '')
    throw new GatewayError('REQUEST_INVALID', 'The query is empty: say what the task is.');
  return bundle(
    {
      query,
      maxTokens,
      limit,
      costOf: (ordinal) => loadTokens(index.reader, ordinal),
      ...(filter === undefined ? {} : { filter }),
    },
    index,
  );
}

/** Tokens that one call of load_skill gives of a skill: its body as it is indexed, up to where a load is cut. */
export function loadTokens(reader: Reader, ordinal: number): number {
  let tokens = 0;
  for (const [at, kind] of reader.passageKinds(ordinal).entries()) {
    if (kind === 'body') tokens += estimateTokens(reader.passage(ordinal, at).text);
    if (tokens >= DEFAULT_TOKENS) return DEFAULT_TOKENS;
  }
  return tokens;
}
