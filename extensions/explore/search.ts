/** The Search view: a search with its explanation, and the answer that an agent gets to the same query. */

import { analyze } from '../../index/lexical/analysis/analyzer.ts';
import type { FoundSkill, Gateway } from '../../src/gateway/gateway.ts';
import { estimateTokens } from '../../src/gateway/tokens.ts';
import { ALSO, agentAnswer } from '../../src/mcp/tools/search-answer.ts';
import { verdictOf, verdictWords } from '../../src/search/confidence.ts';
import { separationText } from '../../src/search/rank.ts';
import { plainText } from '../../src/skills/sections.ts';
import type { Marked, SearchAnswer, SearchHit, SearchRequest } from './api.ts';

/** Hits of a page: what an agent gets that asks for no number. */
const PAGE = 5;
/** Characters of a description that are sent: longer ones break the specification. */
const DESCRIPTION = 1_200;

/** One call of the gateway, with its limits and its audit. */
export async function searchView(
  { query, cursor, limit = PAGE }: SearchRequest,
  gateway: Pick<Gateway, 'search'>,
): Promise<SearchAnswer> {
  const request = { query, limit, also: ALSO, explain: true, cursor };
  const answer = await gateway.search(request);
  const terms = new Set(answer.words.map(({ term }) => term));
  const { fit, retrieval, searched, tookMs, nextCursor } = answer;
  const text = agentAnswer(answer, limit);
  return {
    query: answer.query,
    hits: answer.hits.map((hit) => hitOf(hit, terms)),
    fit,
    verdict: retrieval.mode === 'browse' ? null : { kind: verdictOf(fit), words: verdictWords(fit) },
    mode: retrieval.mode,
    note: retrieval.note,
    searched,
    tookMs,
    nextCursor,
    ...(cursor === undefined && { agent: { text, tokens: estimateTokens(text) } }),
  };
}

function hitOf(hit: FoundSkill, terms: ReadonlySet<string>): SearchHit {
  const { rank, entry, score, evidence, twins, copies = [], explanation = {}, lead } = hit;
  return {
    rank,
    id: entry.id,
    name: entry.name,
    source: entry.source,
    description: marked(entry.description.slice(0, DESCRIPTION), terms),
    score,
    parts: Object.entries(explanation).sort(([, a], [, b]) => b - a),
    evidence: evidence.map(({ path, heading, lines, excerpt }) => ({
      path,
      heading,
      lines,
      excerpt: marked(plainExcerpt(excerpt), terms),
    })),
    ...(lead !== undefined && { lead: separationText(lead) }),
    copies: copies.map(({ id }) => id),
    twins,
    needs: entry.needs ?? [],
    scripts: entry.scripts.length,
    references: entry.references.length,
    suspicious: (entry.marks ?? []).length > 0,
  };
}

/** Without the marks of Markdown: cells of a table are set apart. */
const plainExcerpt = (excerpt: string) =>
  plainText(excerpt, Number.POSITIVE_INFINITY)
    .replace(/^[\s|:-]+|[\s|]+$/g, '')
    .replace(/(?:\s*\|[\s|:-]*)+/g, ' · ')
    .replace(/(^|\s)#{1,6}\s/g, '$1');

/** The text in pieces, in order, with the words that the index would match; joined they are the text. `terms` are the query's, stemmed. */
export function marked(text: string, terms: ReadonlySet<string>): Marked {
  const pieces: [string, boolean][] = [];
  let at = 0;
  for (const { term, from, to } of analyze(text)) {
    // A name comes before its parts: what is marked already stays.
    if (from < at || !terms.has(term)) continue;
    if (from > at) pieces.push([text.slice(at, from), false]);
    pieces.push([text.slice(from, to), true]);
    at = to;
  }
  if (at < text.length) pieces.push([text.slice(at), false]);
  return pieces;
}
