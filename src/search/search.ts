/**
 * One query, from words to ranked skills: find → rank → judge → fold → evidence. Reads one snapshot of the index; knows
 * nothing of folders, policies or wire formats.
 */

import type { Embedder } from '../../index/embedder.ts';
import type { LexicalQuery } from '../../index/lexical/query/query.ts';
import type { Reader } from '../../index/reader/reader.ts';
import type { CatalogEntry } from '../sources/scan/entry.ts';
import type { Filter, Retrieval, SearchAnswer, SearchHit, SearchRequest } from './answer.ts';
import { decodeCursor, encodeCursor } from './answer.ts';
import { type Candidates, candidatesFor, queryText } from './candidates.ts';
import { unknownWords } from './codes.ts';
import { judgeFit } from './confidence.ts';
import type { Copies, Precedence } from './copies.ts';
import { evidenceFor } from './evidence.ts';
import type { Learning } from './learned.ts';
import { contributionsOf, separation } from './rank.ts';
import { foldCopies, type Ranking, rankCandidates, similarRequests, WRITTEN } from './ranking.ts';
import { verdictOf } from './verdict.ts';

/** Why only words were searched although there is a model. */
const UNKNOWN_WORDS = 'The model knows no word of the query, so only words were searched.';

const BEHIND =
  'The skill folders are still being checked: new skills may be missing. Search again in a few seconds.';

/** An open index with the model that made it; `embedder` is null where words alone are searched. */
export interface Searchable {
  readonly reader: Reader;
  readonly embedder: Embedder | null;
  /** Why there is no embedder. */
  readonly note?: string | undefined;
  /** Whether skills may have changed since the reader's generation, because these are being indexed. */
  readonly isBehind?: boolean;
  /** Which source's skill is shown if several have the same one. Default: the best by rank, then by id. */
  readonly precedence?: Precedence;
  /** What each skill was loaded for; absent where learning is off. */
  readonly learned?: Pick<Learning, 'of'>;
  /** Milliseconds since some start. */
  readonly now: () => number;
}

/** Throws `CursorError` if the cursor belongs to another search. */
export async function search(request: SearchRequest, index: Searchable): Promise<SearchAnswer> {
  const started = index.now();
  const query = queryText(request.query);
  const accept = acceptedBy(index.reader, request.filter);
  const identity = [
    query,
    facetsOf(request.filter),
    request.filter?.audience ?? '',
    request.foldTwins !== false,
  ];
  const offset = decodeCursor(request.cursor, identity);
  const found =
    query === ''
      ? browse(index.reader, accept, offset, request.limit)
      : await findPage({ ...request, query }, index, accept, offset);
  const page: SearchAnswer = {
    query,
    searched: index.reader.documentsIn(accept),
    ...found.answer,
    tookMs: index.now() - started,
  };
  if (!found.more) return page;
  return {
    ...page,
    nextCursor: encodeCursor(offset + found.answer.hits.length, identity),
  };
}

/** The query's words without what only the index needs of them. */
const wordsIn = ({ terms }: LexicalQuery) => terms.map(({ term, weight }) => ({ term, weight }));

interface Found {
  readonly answer: Pick<
    SearchAnswer,
    'words' | 'retrieval' | 'hits' | 'also' | 'confidence' | 'fit' | 'weak' | 'foreign' | 'unknown'
  >;
  readonly more: boolean;
}

async function findPage(
  request: SearchRequest,
  index: Searchable,
  accept: Uint8Array,
  offset: number,
): Promise<Found> {
  const { reader, embedder, precedence } = index;
  const { limit, also: named = 0, explain = false, foldTwins } = request;
  const candidates = await candidatesFor(request.query, reader, embedder, accept);
  const similar = await similarRequests(candidates, index, candidates.ordinals);
  const ranking = rankCandidates(reader, candidates, similar);
  const { first, fit, foreign } = judgeFit(candidates, ranking, reader);
  // An explanation compares with the next hit, so also the one behind the page.
  const to = offset + limit + Math.max(named, explain ? 1 : 0);
  const { groups, more } = foldCopies(ranking, { foldTwins, from: offset, to, precedence });
  const page = groups.slice(0, limit);
  const context = { request, reader, candidates, ranking, similar };
  const hits = page.map((group, at) =>
    hitOf(group, explain ? groups[at + 1]?.leader : undefined, offset + at + 1, context),
  );
  const also = groups
    .slice(limit, limit + named)
    .map(({ leader }) => ({ entry: { id: reader.key(candidates.ordinals[leader]!) } }));
  const weak = verdictOf(fit) === 'none';
  const unknown = weak ? unknownWords(candidates.words) : [];
  const answer = {
    words: wordsIn(candidates.words),
    retrieval: retrievalOf(candidates, index),
    hits,
    ...(also.length > 0 && { also }),
    confidence: first,
    fit,
    weak,
    ...(foreign !== null && { foreign }),
    ...(unknown.length > 0 && { unknown }),
  };
  return { answer, more: more || groups.length > limit };
}

/** How candidates were found, in which spelling, and why not as configured. */
export function retrievalOf(
  { vector, vectors, fallback, corrections }: Candidates,
  { embedder, note, isBehind = false }: Searchable,
): Retrieval {
  const unknown = embedder !== null && vector === null ? UNKNOWN_WORDS : undefined;
  const reasons = [
    corrections.length > 0 ? searchedFor(corrections) : undefined,
    isBehind ? BEHIND : undefined,
    note ?? unknown ?? fallback ?? undefined,
  ];
  return {
    mode: vector === null ? 'lexical' : 'hybrid',
    vectors,
    model: vector === null ? null : (embedder?.id ?? null),
    note: reasons.filter((reason) => reason !== undefined).join(' ') || undefined,
  };
}

const searchedFor = (corrections: Candidates['corrections']) =>
  `Searched for: ${corrections.map(({ from, to }) => `${to} (${from})`).join(', ')}.`;

interface Context {
  readonly request: SearchRequest;
  readonly reader: Reader;
  readonly candidates: Candidates;
  readonly ranking: Ranking;
  /** Of `similarRequests`. */
  readonly similar: Float32Array | null;
}

/** `next` is the candidate of the next hit; undefined if no explanation is needed. */
function hitOf(
  { leader, copies, twins }: Copies,
  next: number | undefined,
  position: number,
  context: Context,
): SearchHit {
  const { request, reader, candidates, ranking, similar } = context;
  const { scores, learned } = ranking;
  const { ordinals, features, words, vector } = candidates;
  const most = passagesShown(position, request);
  const ordinal = ordinals[leader]!;
  return {
    rank: position,
    entry: entryAt(reader, ordinal),
    score: Math.min(1, Math.max(0, scores[leader]!)),
    evidence: evidenceFor(reader, ordinal, words, vector, most, request.excerpts),
    ...((learned?.[leader] ?? 0) > 0 ? askedLike(reader, ordinal, vector, similar![leader]!) : {}),
    twins: twins.map((twin) => reader.key(ordinals[twin]!)),
    ...(copies.length === 0
      ? {}
      : { copies: copies.map((copy) => copyOf(entryAt(reader, ordinals[copy]!))) }),
    ...(request.explain === true ? { explanation: contributionsOf(features, leader, learned) } : {}),
    ...(next === undefined
      ? {}
      : { lead: { over: reader.key(ordinals[next]!), ...separation(features, leader, next, learned) } }),
  };
}

/** The request of the skill that is nearest to the query, unless what it was loaded for is nearer: that is no text of the skill. */
function askedLike(
  { passages }: Reader,
  ordinal: number,
  vector: Float32Array | null,
  similar: number,
): Pick<SearchHit, 'asked'> {
  const [cosine = 0] = (vector && passages.requestCosines(vector, Uint32Array.of(ordinal))) ?? [];
  if (vector === null || cosine === 0 || Math.fround(WRITTEN * cosine) < similar) return {};
  return { asked: passages.nearestRequest(vector, ordinal)!.text };
}

/** Most passages that a hit shows. */
const passagesShown = (position: number, { excerpts = true }: SearchRequest) =>
  position === 1 && excerpts ? 2 : 1;

const copyOf = ({ id, source }: CatalogEntry) => ({ id, source });

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
  return {
    answer: { words: [], retrieval, hits, confidence: null, fit: null, weak: false },
    more: offset + limit < all.length,
  };
}

/** The payload is what `src/search/passages` wrote; a checksum protects it. */
export const entryAt = (reader: Reader, ordinal: number) => reader.payload(ordinal) as CatalogEntry;

/** 1 for each document that passes the filter, by ordinal. */
export function acceptedBy(reader: Reader, filter: Filter = {}): Uint8Array {
  const accept = reader.accept(facetsOf(filter));
  const { audience } = filter;
  if (audience === undefined) return accept;
  const others = audience === 'models' ? 'people' : 'models';
  const hidden = reader.accept([[`audience:${others}`, 'audience:none']]);
  if (reader.documentsIn(hidden) === 0) return accept;
  const kept = visible.get(accept)?.get(hidden) ?? accept.map((one, at) => (hidden[at] === 1 ? 0 : one));
  visible.set(accept, (visible.get(accept) ?? new WeakMap()).set(hidden, kept));
  return kept;
}

/** Sets without hidden documents, by both sets: the index caches by the identity of a set. */
const visible = new WeakMap<Uint8Array, WeakMap<Uint8Array, Uint8Array>>();

/** One group of alternative facets for each field that restricts, as `Reader.accept` takes them. */
function facetsOf({ sources = [], tags = [], hasScripts, tools = [] }: Filter = {}): string[][] {
  return [
    sources.map((source) => `source:${source}`),
    tags.map((tag) => `tag:${tag.toLowerCase()}`),
    hasScripts === undefined ? [] : [hasScripts ? 'scripts:yes' : 'scripts:no'],
    tools.map((tool) => `tool:${tool.toLowerCase()}`),
  ].filter((group) => group.length > 0);
}
