/**
 * One query, from words to ranked skills: retrieve → rank → collapse → show. Reads one snapshot of the index and
 * knows nothing of folders, policies or wire formats.
 */

import { type Embedder, isSimilar, type Reader } from '#index';
import type { CatalogEntry } from '../catalog/entry.ts';
import type { Filter, Retrieval, SearchAnswer, SearchHit, SearchRequest } from './answer.ts';
import { type Candidates, candidatesFor } from './candidates.ts';
import { collapse, type Folded, TWIN_SIMILARITY } from './collapse.ts';
import { confidenceOf, isWeak } from './confidence.ts';
import { decodeCursor, encodeCursor } from './cursor.ts';
import { evidenceFor } from './evidence.ts';
import { partsOf, rank } from './rank.ts';
import { separation } from './separation.ts';

/** Longer queries are cut: a page of text says what is wanted, a book does not. Characters. */
export const MAX_QUERY = 8_000;

/** Why words alone answer although there is a model. */
const UNKNOWN_WORDS = 'The model knows no word of the query, so words alone were searched.';

/** An open index with the model that made it; `embedder` is null where words alone are searched. */
export interface Searchable {
  readonly reader: Reader;
  readonly embedder: Embedder | null;
  /** Why there is no embedder. */
  readonly note?: string;
  /** Milliseconds since some start. */
  readonly now: () => number;
}

/** Throws `CursorError` for a foreign cursor. */
export async function search(request: SearchRequest, index: Searchable): Promise<SearchAnswer> {
  const started = index.now();
  const query = queryText(request.query);
  const facets = facetsOf(request.filter);
  const accept = index.reader.accept(facets);
  const identity = [query, facets, request.foldTwins !== false];
  const searched =
    facets.length === 0 ? index.reader.documents : accept.reduce((sum, accepted) => sum + accepted, 0);
  const offset = decodeCursor(request.cursor, identity);
  const found =
    query === ''
      ? browse(index.reader, accept, offset, request.limit)
      : await retrieve({ ...request, query }, index, accept, offset);
  const page: SearchAnswer = { query, searched, ...found.answer, tookMs: index.now() - started };
  if (!found.more) return page;
  return {
    ...page,
    nextCursor: encodeCursor(offset + found.answer.hits.length, identity),
  };
}

/** A query as it is searched: on one line, cut, and well-formed. */
export const queryText = (text: string) =>
  text
    .replace(/\p{Cc}+/gu, ' ')
    .trim()
    .slice(0, MAX_QUERY)
    .toWellFormed();

interface Found {
  readonly answer: Pick<SearchAnswer, 'retrieval' | 'hits' | 'confidence' | 'weak'>;
  readonly more: boolean;
}

async function retrieve(
  request: SearchRequest,
  index: Searchable,
  accept: Uint8Array,
  offset: number,
): Promise<Found> {
  const { reader, embedder } = index;
  const candidates = await candidatesFor(request.query, reader, embedder, accept);
  const { ordinals, features } = candidates;
  const ranked = rank(features, ordinals.length, (a, b) => ordinals[a]! - ordinals[b]!);
  const prints = Array.from(ordinals, (ordinal) => reader.fingerprint(ordinal));
  const areTwins = (a: number, b: number) =>
    request.foldTwins !== false && isSimilar(prints[a]!, prints[b]!, TWIN_SIMILARITY);
  const { folded, more } = collapse(ranked.order, offset + request.limit, areTwins);
  const leaders =
    request.explain === true ? leadersTo(offset + request.limit + 1, ranked.order, areTwins) : [];
  const context = { request, reader, candidates, scores: ranked.scores, leaders };
  const hits = folded.slice(offset).map((group, at) => hitOf(group, offset + at + 1, context));
  const confidence = confidenceOf(candidates, ranked);
  const retrieval = retrievalOf(candidates, index);
  return { answer: { retrieval, hits, confidence, weak: isWeak(confidence) }, more };
}

/** How candidates were found, and why that is less than was asked for. */
export function retrievalOf(
  { vector, vectors, fallback }: Candidates,
  { embedder, note }: Searchable,
): Retrieval {
  const unknown = embedder !== null && vector === null ? UNKNOWN_WORDS : undefined;
  const reason = note ?? unknown ?? fallback ?? undefined;
  return {
    mode: vector === null ? 'lexical' : 'hybrid',
    vectors,
    model: vector === null ? null : (embedder?.id ?? null),
    ...(reason === undefined ? {} : { note: reason }),
  };
}

interface Context {
  readonly request: SearchRequest;
  readonly reader: Reader;
  readonly candidates: Candidates;
  readonly scores: Float32Array;
  /** The candidates that lead a place, in order, to one after the page's last; empty where nothing is explained. */
  readonly leaders: readonly number[];
}

const leadersTo = (count: number, order: readonly number[], areTwins: (a: number, b: number) => boolean) =>
  collapse(order, count, areTwins).folded.map(({ leader }) => leader);

function hitOf({ leader, twins }: Folded, position: number, context: Context): SearchHit {
  const { request, reader, candidates, scores, leaders } = context;
  const { ordinals, features, words, vector } = candidates;
  const ordinal = ordinals[leader]!;
  const next = leaders[position];
  return {
    rank: position,
    entry: entryAt(reader, ordinal),
    score: Math.min(1, Math.max(0, scores[leader]!)),
    evidence: evidenceFor(reader, ordinal, words, vector, position === 1 ? 2 : 1),
    twins: twins.map((twin) => reader.key(ordinals[twin]!)),
    ...(request.explain === true ? { explanation: partsOf(features, leader) } : {}),
    ...(next === undefined
      ? {}
      : { lead: { over: reader.key(ordinals[next]!), ...separation(features, leader, next) } }),
  };
}

/** Without a query: the catalog in order of id. */
function browse(reader: Reader, accept: Uint8Array, offset: number, limit: number): Found {
  const all = reader.ordinalsByKey().filter((ordinal) => accept[ordinal] === 1);
  const hits = Array.from(all.subarray(offset, offset + limit), (ordinal, at) => ({
    rank: offset + at + 1,
    entry: entryAt(reader, ordinal),
    score: 0,
    evidence: [],
    twins: [],
  }));
  const retrieval: Retrieval = { mode: 'browse', vectors: 'none', model: null };
  return { answer: { retrieval, hits, confidence: null, weak: false }, more: offset + limit < all.length };
}

/** The payload is what `src/passages` put in, verified by its checksum. */
export const entryAt = (reader: Reader, ordinal: number) => reader.payload(ordinal) as CatalogEntry;

/** One group of alternatives for each part that restricts, as `Reader.accept` takes them. */
export function facetsOf({ sources = [], tags = [], hasScripts }: Filter = {}): string[][] {
  return [
    sources.map((source) => `source:${source}`),
    tags.map((tag) => `tag:${tag.toLowerCase()}`),
    hasScripts === undefined ? [] : [hasScripts ? 'scripts:yes' : 'scripts:no'],
  ].filter((group) => group.length > 0);
}
