/**
 * The answer of search_skills: the verdict, then one line for each hit. The structured content and the text say the same,
 * since hosts show models one of them. The search decides which hits there are and in which order.
 */

import { bare, clip, count, counted, oneLine } from '../../base/text.ts';
import { type FoundSkill, type FoundSkills, HEADING_SEPARATOR } from '../../gateway/gateway.ts';
import { estimateTokens } from '../../gateway/tokens.ts';
import { type Verdict, verdictOf, verdictWords } from '../../search/verdict.ts';
import { foreignHint } from '../instructions.ts';
import { findPointer, measureMass } from './query-mass.ts';
import { type AgentHit, type AgentResult, type SearchResult, USUAL_HITS } from './search-result.ts';
import { summarise } from './summary.ts';

/** Most characters of a hit's line, and of a hit that is only the nearest. */
const LINE = 170;
const WEAK_LINE = 80;
/** Hits of a weak answer, unless more than usual were asked for. */
const WEAK_HITS = 3;
/** A line is shortened to this length where ids, needs and other facts take the room. */
const MIN_LINE = 50;
const STEP = 10;
/**
 * Token budget of an answer as JSON without details, by `mostTokens`: up to five hits, and each one more. A weak answer's is that of
 * its hits: with verdict and frame they stay below 150 (`npm run bench -- agent`).
 */
const TOKENS = 435;
const TOKENS_PER_HIT = 75;
const TOKENS_PER_WEAK_HIT = 31;
/** What the warning of a hit with suspicious text takes next to its id, and what surrounds it (`warnings.ts`). */
const TOKENS_PER_WARNING = 40;
const TOKENS_AROUND_WARNINGS = 25;
/** Token budget of the ids behind the page. */
const TOKENS_ALSO = 48;
/** Most needs of a hit, and most characters of each. */
const NEEDS = 3;
const NEED_CHARACTERS = 40;
/** In the details of a hit. */
const DESCRIPTION_CHARACTERS = 1_024;
const QUERY_CHARACTERS = 120;
const EXCERPT_CHARACTERS = 140;
const COPIES = 50;

const ADVICE: Readonly<Record<Verdict, string>> = {
  fits: '.',
  perhaps: ': load one only if its line says so.',
  none: '. These are the nearest: unless one clearly does, search in other words or go on without.',
};

interface AnswerOptions {
  readonly filtered: boolean;
  /** Evidence, parts of the scores, whole descriptions, all copies. */
  readonly detail: boolean;
}

/**
 * The nearest few of an answer in which nothing seems to fit: its other hits are worth no context, unless the caller asks
 * for more of them.
 */
export function withoutTail(answer: FoundSkills, asked: number): FoundSkills {
  if (!answer.weak || asked > USUAL_HITS || answer.hits[0]?.rank !== 1) return answer;
  const { nextCursor: _, ...page } = answer;
  return { ...page, hits: answer.hits.slice(0, WEAK_HITS) };
}

/**
 * The answer and its text, with lines as long as the budget for its number of hits allows. Where the ids alone are too long for it,
 * an answer has only them, and a weak one loses its last hits.
 */
export function answerWithin(
  answer: FoundSkills,
  options: AnswerOptions,
): { result: AgentResult; text: string } {
  const { weak, hits } = answer;
  const warned = warningTokens(answer);
  for (let line = weak ? WEAK_LINE : LINE; line >= MIN_LINE; line -= STEP) {
    const result = toAgentResult(answer, line, options);
    if (isWithin(result, warned)) return { result, text: formatAnswer(result) };
  }
  const isTrimmed = weak && hits.length > 1 && hits.length <= WEAK_HITS;
  if (isTrimmed && !options.detail) return answerWithin({ ...answer, hits: hits.slice(0, -1) }, options);
  const shortest = toAgentResult(answer, MIN_LINE, options);
  const { also: _, ...result } = {
    ...shortest,
    hits: shortest.hits.map(({ needs: _, at: __, ...hit }) => hit),
  };
  if (isWithin(result, warned)) return { result, text: formatAnswer(result) };
  const ids = { ...result, hits: result.hits.map((hit) => ({ ...hit, line: '' })) };
  return { result: ids, text: formatAnswer(ids) };
}

/** Whether the answer without its details keeps to the budget, next to `warned` tokens of warnings. */
function isWithin({ search: _, ...result }: AgentResult, warned: number): boolean {
  const hits = result.hits.map(({ detail: _, ...hit }) => hit);
  if (result.weak)
    return (
      warned + estimateTokens(JSON.stringify(hits)) <= TOKENS_PER_WEAK_HIT * Math.max(WEAK_HITS, hits.length)
    );
  const most = TOKENS + TOKENS_PER_HIT * Math.max(0, hits.length - USUAL_HITS);
  return warned + mostTokens(JSON.stringify({ ...result, hits })) <= most;
}

function warningTokens({ hits }: FoundSkills): number {
  const marked = hits.filter(({ entry }) => entry.marks !== undefined);
  if (marked.length === 0) return 0;
  const ids = mostTokens(marked.map(({ entry }) => entry.id).join(' '));
  return TOKENS_AROUND_WARNINGS + TOKENS_PER_WARNING * marked.length + ids;
}

/** Tokens of JSON, ids and paths, for which `estimateTokens` is too low by up to half: seldom less than the real number. */
const mostTokens = (text: string) => Math.max(estimateTokens(text), text.match(PIECES)?.length ?? 0);
const PIECES = /\p{L}{1,6}|\p{N}{1,3}|[^\p{L}\p{N}\s]+/gu;

/** The text that a model gets for an answer to a request of `asked` hits without filters or detail. */
export const agentAnswer = (answer: FoundSkills, asked: number): string =>
  answerWithin(withoutTail(answer, asked), { filtered: false, detail: false }).text;

/** The answer for a program, with everything and nothing cut: it has no budget of tokens. */
export function wholeResult(answer: FoundSkills, filtered: boolean): SearchResult {
  const result = toAgentResult(answer, Number.POSITIVE_INFINITY, { filtered, detail: true });
  return {
    ...result,
    search: {
      ...searchDetail(answer),
      took_ms: answer.tookMs,
      foreign: answer.foreign,
    },
    hits: answer.hits.map((hit, at) => {
      const evidence = hit.evidence.map(({ path, heading, lines, excerpt, terms }) => ({
        at: `${path}:${lines[0]}-${lines[1]}`,
        heading: heading.join(HEADING_SEPARATOR),
        excerpt,
        terms,
      }));
      return {
        ...result.hits[at]!,
        detail: {
          rank: hit.rank,
          ...hitDetail(hit),
          folder: hit.entry.folder,
          description: hit.entry.description,
          evidence,
          lead: hit.lead,
        },
      };
    }),
  };
}

function toAgentResult(answer: FoundSkills, line: number, { filtered, detail }: AnswerOptions): AgentResult {
  const { retrieval, weak, fit, nextCursor } = answer;
  const also = listAlso(answer);
  return {
    verdict: verdictText(answer, filtered),
    weak,
    ...(fit !== null && { fit: rounded(fit) }),
    ...(retrieval.note !== undefined && { note: clip(retrieval.note, 320) }),
    hits: answer.hits.map((hit) => toAgentHit(hit, answer, line, detail)),
    ...(also.length > 0 && { also }),
    next_cursor: nextCursor,
    ...(detail && { search: searchDetail(answer) }),
  };
}

/** The ids of the skills behind the page, as many as the budget takes. */
function listAlso({ weak, also = [] }: FoundSkills): string[] {
  const ids: string[] = [];
  for (const { shortId } of weak ? [] : also) {
    if (estimateTokens([...ids, shortId].join(', ')) > TOKENS_ALSO) break;
    ids.push(shortId);
  }
  return ids;
}

function toAgentHit(hit: FoundSkill, { words, weak }: FoundSkills, line: number, detail: boolean): AgentHit {
  const { entry, shortId, twins, copies = [] } = hit;
  const name = isShown(entry.name, shortId) ? '' : `${clip(entry.name, 60)}: `;
  const needs = listNeeds(entry);
  const alike = twins.length + copies.length;
  const at = weak ? undefined : findPointer(hit, words);
  return {
    id: shortId,
    line: `${name}${summarise(entry.description, line - name.length, (text) => measureMass(text, words))}`.trim(),
    ...(needs.length > 0 && { needs }),
    ...(alike > 0 && { copies: alike }),
    at,
    ...(detail && { detail: hitDetail(hit) }),
  };
}

/** What a skill needs, in a few words: what its front matter names, and tools of MCP servers. */
function listNeeds({ needs = [], mcpTools, allowedTools }: FoundSkill['entry']): string[] {
  const servers = allowedTools.flatMap((name) => /^mcp__(.+?)__/.exec(name)?.[1] ?? []);
  const tools = mcpTools.map((name) => `tool ${name}`);
  const all = [...needs, ...servers.map((server) => `${server} MCP server`), ...tools];
  return [...new Set(all.map((need) => clip(need, NEED_CHARACTERS)))].slice(0, NEEDS);
}

/** Whether the id already says the name, in whatever spelling. */
function isShown(name: string, id: string): boolean {
  const letters = (text: string) => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
  return letters(id).includes(letters(name));
}

function verdictText(
  { hits, searched, fit, foreign, unknown, retrieval }: FoundSkills,
  filtered: boolean,
): string {
  if (searched === 0)
    return filtered
      ? 'No skill passes these filters: search without them.'
      : 'The catalog is empty: go on without a skill.';
  const verdict = verdictOf(fit);
  const language = foreign && foreignHint(foreign);
  if (hits.length === 0) return language ?? 'Nothing found: search in other words, or go on without a skill.';
  if (retrieval.mode === 'browse') return `${counted(searched, 'skill')} by id: give a query to search them.`;
  return `${verdictWords(fit, unknown)}${language === undefined ? ADVICE[verdict] : `. ${language}`}`;
}

function hitDetail({ entry, score, evidence, asked, twins, copies = [], explanation }: FoundSkill) {
  return {
    score: rounded(score),
    full_id: entry.id,
    uri: entry.uri,
    name: clip(entry.name, 80),
    source: entry.source,
    digest: entry.digest,
    description: clip(entry.description, DESCRIPTION_CHARACTERS),
    evidence: evidence.map(({ path, heading, lines, excerpt, terms }) => ({
      at: `${bare(path)}:${lines[0]}-${lines[1]}`,
      heading: oneLine(heading.join(HEADING_SEPARATOR)),
      excerpt: clip(excerpt, EXCERPT_CHARACTERS),
      terms: terms.slice(0, 8).map((term) => clip(term, 24)),
    })),
    [entry.remote ? 'remote_allowed_tools' : 'allowed_tools']: entry.allowedTools
      .slice(0, COPIES)
      .map((name) => clip(name, NEED_CHARACTERS)),
    ...(asked !== undefined && { asked_like: clip(asked, EXCERPT_CHARACTERS) }),
    ...(explanation !== undefined && { score_parts: roundedParts(explanation) }),
    ...(copies.length > 0 && { same_as: copies.slice(0, COPIES).map(({ id }) => id) }),
    ...(twins.length > 0 && { like: twins.slice(0, COPIES) }),
  };
}

const roundedParts = (parts: Readonly<Record<string, number>>) =>
  Object.fromEntries(Object.entries(parts).map(([name, value]) => [name, rounded(value)]));

const searchDetail = ({ query, retrieval, searched }: FoundSkills) => ({
  query: clip(query, QUERY_CHARACTERS),
  mode: retrieval.mode,
  vectors: retrieval.vectors,
  model: retrieval.model,
  searched,
});

/** The verdict, a line for each hit, what else there is. */
function formatAnswer(result: AgentResult): string {
  const { verdict, note, hits, also, next_cursor, search } = result;
  return [
    verdict,
    ...(note === undefined ? [] : [`Note: ${note}`]),
    ...hits.flatMap((hit) => [hitLine(hit), ...detailLines(hit.detail)]),
    ...(also === undefined ? [] : [`also: ${also.join(', ')}`]),
    ...(next_cursor === undefined ? [] : [`next_cursor: ${next_cursor}`]),
    ...(search === undefined ? [] : [`search: ${JSON.stringify(search)}`]),
  ].join('\n');
}

function hitLine({ id, line, needs, copies, at }: AgentHit): string {
  const facts = [
    ...(needs === undefined ? [] : [`needs ${needs.join(', ')}`]),
    ...(copies === undefined ? [] : [`+${count(copies)} ${copies === 1 ? 'copy' : 'copies'}`]),
    ...(at === undefined ? [] : [at]),
  ];
  const tail = facts.length === 0 ? '' : ` [${facts.join('; ')}]`;
  return `- ${bare(id)}${line === '' ? '' : `: ${line}`}${tail}`;
}

/** Each fact on its own line, lists item by item. */
const detailLines = (detail: Readonly<Record<string, unknown>> = {}): string[] =>
  Object.entries(detail).flatMap(([key, value]) =>
    Array.isArray(value)
      ? value.map((item) => `  ${key}: ${JSON.stringify(item)}`)
      : `  ${key}: ${JSON.stringify(value)}`,
  );

/** To two decimals. */
const rounded = (value: number) => Math.round(value * 100) / 100;
