/**
 * The answer of search_skills: its shape, and as much of each hit as fits into a token budget. The search decides which
 * hits there are and in which order.
 */

import * as z from 'zod';
import { HEADING_SEPARATOR } from '../../gateway/public.ts';
import type { SearchAnswer, SearchHit } from '../../search/public.ts';
import { foreignHint, languageName } from '../languages.ts';
import { bare, clip, count, counted, oneLine, quote } from '../text.ts';
import { BUNDLE_HINT, type BundleResult, bundleLines, bundleSchema, TOKENS_PER_PART } from './bundle.ts';
import { copiesLine, copiesResult, copiesSchema } from './copies.ts';
import { type Extent, fitToBudget, type Prose } from './fit-to-budget.ts';

/** Token budget of an answer's text: 600 for five hits. Ids and paths are never cut, so very long ones can exceed it. */
const TOKENS_AROUND = 75;
const TOKENS_PER_HIT = 105;
/** Most twins listed for a hit, and most copies, which take the place of twins; the rest are counted. */
const TWINS = 3;
const COPIES = 2;
/** Most tools listed for a hit, and most characters of each: load_skill lists all of them. */
const TOOLS = 8;
const TOOL_CHARACTERS = 40;
/** Most characters of the query in the answer. */
const QUERY_CHARACTERS = 120;

const evidenceSchema = z.object({
  path: z.string(),
  heading: z.string().optional().describe('Its path, outermost first'),
  lines: z.array(z.int()).length(2).describe('First and last line, from 1'),
  excerpt: z.string(),
  terms: z.array(z.string()).describe('Words of the query found there'),
});

const hitSchema = z.object({
  rank: z.int(),
  id: z.string(),
  uri: z.string(),
  name: z.string(),
  description: z.string(),
  score: z.number().describe('0–1, comparable within this answer'),
  evidence: z.array(evidenceSchema),
  tools: z.array(z.string()).optional().describe('MCP tools that its author names'),
  allowed_tools: z.array(z.string()).optional().describe('Tools that its author says it needs'),
  also_from: copiesSchema.optional(),
  also_from_count: z.int().optional().describe('Given if not all are named'),
  twins: z.array(z.string()).optional().describe('Ids of near-identical skills'),
  twin_count: z.int().optional().describe('Given if not all twins are named'),
});

export const resultSchema = z.object({
  query: z.string(),
  retrieval: z.object({
    mode: z.enum(['hybrid', 'lexical', 'browse']),
    vectors: z.enum(['exact', 'hnsw', 'none']),
    model: z.string().nullable(),
    note: z.string().optional().describe('Why the retrieval is limited'),
  }),
  searched: z.int().describe('Skills that could have been found'),
  weak: z.boolean().describe('No skill seems to fit'),
  query_language: z.string().optional().describe('Given if hardly any skill is in it'),
  fit: z.number().nullable().describe('0–1: that a skill fits; null when browsing'),
  confidence: z.number().nullable().describe('0–1: that the first hit is the right one'),
  hits: z.array(hitSchema),
  bundle: bundleSchema.optional(),
  next_cursor: z.string().optional(),
  hint: z.string().describe('What to do next'),
});

type SearchResult = z.infer<typeof resultSchema>;
type Hit = z.infer<typeof hitSchema>;

/** The answer and its text, within the budget for its number of hits. */
export function answerWithin(
  answer: SearchAnswer,
  filtered: boolean,
  bundle?: BundleResult,
): { result: SearchResult; text: string } {
  const parts = bundle === undefined ? 0 : 1 + bundle.parts.length;
  const budget = TOKENS_AROUND + TOKENS_PER_HIT * answer.hits.length + TOKENS_PER_PART * parts;
  return fitToBudget(budget, (extent) => {
    const result = resultAt(extent, answer, filtered, bundle);
    return { result, text: textOf(result), prose: proseOf(result) };
  });
}

function proseOf({ hits }: SearchResult): Prose {
  const evidence = hits.flatMap((hit) => hit.evidence);
  return {
    descriptions: hits.map(({ description }) => description),
    excerpts: evidence.map(({ excerpt }) => excerpt),
    headings: evidence.map(({ heading = '' }) => heading),
  };
}

function resultAt(
  extent: Extent,
  answer: SearchAnswer,
  filtered: boolean,
  bundle: BundleResult | undefined,
): SearchResult {
  const { retrieval, fit, confidence } = answer;
  return {
    query: clip(answer.query, QUERY_CHARACTERS),
    retrieval: {
      mode: retrieval.mode,
      vectors: retrieval.vectors,
      model: retrieval.model,
      ...(retrieval.note !== undefined && { note: clip(retrieval.note, 160) }),
    },
    searched: answer.searched,
    weak: answer.weak,
    ...(answer.foreign !== undefined && { query_language: languageName(answer.foreign) }),
    fit: fit === null ? null : rounded(fit, 100),
    confidence: confidence === null ? null : rounded(confidence, 100),
    hits: answer.hits.map((hit, at) =>
      hitAt(extent, hit, at === 0 ? extent.evidenceOfFirst : extent.evidence),
    ),
    ...(answer.nextCursor !== undefined && { next_cursor: answer.nextCursor }),
    ...(bundle !== undefined && { bundle }),
    hint:
      bundle === undefined || answer.hits.length === 0 || answer.weak
        ? hintFor(answer, filtered)
        : BUNDLE_HINT,
  };
}

function hitAt(
  extent: Extent,
  { rank, entry, score, evidence, twins, copies }: SearchHit,
  mostEvidence: number,
): Hit {
  const mostTwins = TWINS - Math.min(COPIES, copies?.length ?? 0);
  return {
    rank,
    id: entry.id,
    uri: entry.uri,
    name: clip(entry.name, 80),
    description: clip(entry.description, extent.description),
    score: rounded(score, 1_000),
    evidence: evidence.slice(0, mostEvidence).map(({ path, heading, lines, excerpt, terms }) => ({
      path,
      ...(heading.length > 0 && { heading: headingWithin(heading, extent.heading) }),
      lines: [...lines],
      excerpt: clip(excerpt, extent.excerpt),
      terms: terms.slice(0, 8).map((term) => clip(term, 24)),
    })),
    ...(entry.mcpTools.length > 0 && { tools: toolNames(entry.mcpTools) }),
    ...(entry.allowedTools.length > 0 && { allowed_tools: toolNames(entry.allowedTools) }),
    ...copiesResult(copies, COPIES),
    ...(twins.length > 0 && { twins: twins.slice(0, mostTwins) }),
    ...(twins.length > mostTwins && { twin_count: twins.length }),
  };
}

/** The heading path, without its outermost headings if it is too long. */
function headingWithin(path: readonly string[], length: number): string {
  for (let from = 0; from < path.length - 1; from += 1) {
    const inner = path.slice(from).join(HEADING_SEPARATOR);
    if (inner.length <= length) return oneLine(inner);
  }
  return clip(path.at(-1) ?? '', length);
}

const toolNames = (names: readonly string[]) =>
  names.slice(0, TOOLS).map((name) => clip(name, TOOL_CHARACTERS));

function hintFor(
  { hits, searched, weak, foreign, retrieval, nextCursor }: SearchAnswer,
  filtered: boolean,
): string {
  if (searched === 0)
    return filtered
      ? 'No skill passes these filters: search without them.'
      : 'The catalog is empty: go on without a skill.';
  if (foreign !== undefined) return foreignHint(foreign);
  if (hits.length === 0) return 'Nothing found: search in other words, or go on without a skill.';
  const more = nextCursor === undefined ? '' : ' next_cursor leads to more.';
  if (retrieval.mode === 'browse') return `This lists the catalog: give a query to search it.${more}`;
  if (weak)
    return `No skill seems to fit. These are only the nearest: unless one clearly does, go on without.${more}`;
  return `Call load_skill with the id of the hit that fits; read_reference opens its lines.${more}`;
}

/** The result as text for a model: a head, two or three lines per hit, and what to do next. */
function textOf(result: SearchResult): string {
  const { retrieval, searched, fit, confidence, hits, bundle, next_cursor, hint, query } = result;
  const vectors = retrieval.vectors === 'none' ? '' : `, ${retrieval.vectors} vectors`;
  const model = retrieval.model === null ? '' : `, ${retrieval.model}`;
  const confidenceText =
    fit === null ? '' : `; confidence that a skill fits: ${fit}, that it is the first: ${confidence}`;
  const head = `${counted(searched, 'skill')} searched (${retrieval.mode}${vectors}${model})${confidenceText}.`;
  const uriForm = hits[0] === undefined ? '' : formOf(hits[0]);
  return [
    query === '' ? head : `${quote(query)}: ${head}`,
    ...(retrieval.note === undefined ? [] : [`Note: ${retrieval.note}`]),
    ...hits.flatMap((hit) => hitLines(hit, uriForm)),
    ...(uriForm === '' ? [] : [`uri: ${uriForm}`]),
    ...(bundle === undefined || hits.length === 0 ? [] : bundleLines(bundle)),
    ...(next_cursor === undefined ? [] : [`next_cursor: ${next_cursor}`]),
    hint,
  ].join('\n');
}

function hitLines(hit: Hit, uriForm: string): string[] {
  const name = hit.id.endsWith(hit.name) ? '' : ` (${hit.name})`;
  const named = hit.twins ?? [];
  const unnamed = (hit.twin_count ?? named.length) - named.length;
  return [
    `${hit.rank}. ${bare(hit.id)}${name} ${hit.score}`,
    ...(hit.description === '' ? [] : [`   ${hit.description}`]),
    ...(formOf(hit) === uriForm ? [] : [`   uri: ${hit.uri}`]),
    ...hit.evidence.map(({ path, lines: [from, to], heading, excerpt, terms }) => {
      const location = `${bare(path)}:${from}-${to}${heading === undefined ? '' : ` ${heading}`}`;
      const found = terms.length === 0 ? '' : ` [${terms.join(' ')}]`;
      return `   ${location}${excerpt === '' ? '' : `: ${excerpt}`}${found}`;
    }),
    ...listLine('tools', hit.tools),
    ...listLine('allowed_tools', hit.allowed_tools),
    ...copiesLine(hit),
    ...(named.length === 0
      ? []
      : [`   twins: ${named.map(bare).join(', ')}${unnamed > 0 ? ` and ${count(unnamed)} more` : ''}`]),
  ];
}

const listLine = (label: string, names: readonly string[] | undefined) =>
  names === undefined ? [] : [`   ${label}: ${names.join(' ')}`];

/** A hit's URI with `<id>` in place of its id: written once for all hits that share it. */
const formOf = ({ uri, id }: Hit) => uri.replace(`/${id}/`, () => '/<id>/');

/** To the nearest of `steps` steps per unit. */
const rounded = (value: number, steps: number) => Math.round(value * steps) / steps;
