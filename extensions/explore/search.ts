/** The Search view: a search with its explanation, and the answer that an agent gets to the same query. */

import { analyze } from '../../index/lexical/analysis/analyzer.ts';
import type { CatalogEntry, Gateway } from '../../src/app/extension-api.ts';
import type { FoundSkill } from '../../src/gateway/gateway.ts';
import { estimateTokens } from '../../src/gateway/tokens.ts';
import { foreignHint } from '../../src/mcp/instructions.ts';
import { agentAnswer } from '../../src/mcp/tools/search-answer.ts';
import { ALSO } from '../../src/mcp/tools/search-result.ts';
import { verdictOf, verdictWords } from '../../src/search/verdict.ts';
import { plainText } from '../../src/skills/sections.ts';
import type { Api, Card, Marked, SearchAnswer, SearchHit } from './api.ts';

/** Hits of a page: what an agent gets that asks for no number. */
const PAGE = 5;
/** Characters of a description that are sent: longer ones break the specification. */
const DESCRIPTION = 1_200;
/** Letters of a query below which nothing is said about its hits. */
const MIN_LETTERS = 3;

/** One call of the gateway, with its limits and its audit. */
export async function searchView(
  { query, limit = PAGE }: Api['search']['request'],
  gateway: Pick<Gateway, 'search'>,
): Promise<SearchAnswer> {
  const answer = await gateway.search({ query, limit, also: ALSO });
  const terms = new Set(answer.words.map(({ term }) => term));
  const { fit, foreign, retrieval, searched, tookMs } = answer;
  // The page lists more hits than an agent gets.
  const [first, rest] = [answer.hits.slice(0, PAGE), answer.hits.slice(PAGE)];
  const text = agentAnswer(
    { ...answer, hits: first, also: [...rest, ...(answer.also ?? [])].slice(0, ALSO) },
    PAGE,
  );
  const hits = answer.hits.map((hit) => toHit(hit, terms));
  const judged = retrieval.mode !== 'browse' && isJudged(query, fit, hits);
  return {
    query: answer.query,
    hits,
    verdict: judged ? { kind: verdictOf(fit), words: verdictWords(fit, answer.unknown) } : null,
    note: foreign === undefined ? retrieval.note : foreignHint(foreign),
    searched,
    tookMs,
    agent: { text, tokens: estimateTokens(text) },
  };
}

/** Whether anything can be said of a fit: a letter is no request yet, and without a known word nearness in meaning says nothing. */
function isJudged(query: string, fit: number | null, hits: readonly SearchHit[]): boolean {
  const letters = query.match(/\p{L}/gu)?.length ?? 0;
  if (letters < (/\P{ASCII}/u.test(query) ? 1 : MIN_LETTERS)) return false;
  const texts = hits.flatMap(({ description, evidence }) => [
    description,
    ...evidence.map(({ excerpt }) => excerpt),
  ]);
  return verdictOf(fit) === 'none' || texts.some((text) => text.some(([, matches]) => matches));
}

export const toCard = (entry: CatalogEntry, terms: ReadonlySet<string> = new Set()): Card => ({
  id: entry.id,
  name: entry.name,
  description: marked(entry.description.slice(0, DESCRIPTION), terms),
  needs: entry.needs ?? [],
  scripts: entry.scripts.length,
  suspicious: (entry.marks ?? []).length > 0,
});

function toHit(hit: FoundSkill, terms: ReadonlySet<string>): SearchHit {
  const { rank, entry, score, evidence, twins, copies = [] } = hit;
  return {
    ...toCard(entry, terms),
    rank,
    score,
    evidence: evidence.map(({ path, heading, lines, excerpt }) => ({
      path,
      heading,
      lines,
      excerpt: marked(plainExcerpt(excerpt), terms),
    })),
    copies: [...copies.map(({ id }) => id), ...twins],
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
