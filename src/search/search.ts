/**
 * One query, from words to ranked skills: retrieve → rank → collapse → hits. Reads one snapshot of the index; knows
 * nothing of folders, policies or wire formats.
 */

import type { CandidateIndex } from '../../index/candidates.ts';
import type { Embedder } from '../../index/embedder.ts';
import type { LexicalQuery } from '../../index/lexical/query/query.ts';
import type { Reader } from '../../index/reader/reader.ts';
import type { CatalogEntry } from '../sources/scan/entry.ts';
import type { Filter, Retrieval, SearchAnswer, SearchHit, SearchRequest } from './answer.ts';
import { decodeCursor, encodeCursor } from './answer.ts';
import { type Candidates, candidatesFor, queryText } from './candidates.ts';
import { confidenceOf, confidenceSignalsOf, foreignTo, verdictOf } from './confidence.ts';
import {
  type Copies,
  collapse,
  type Folded,
  type Precedence,
  precedenceOf,
  preferBetterMaintained,
  separateCopies,
  similarityOf,
} from './copies.ts';
import { evidenceFor, readEvidence } from './evidence.ts';
import { type Learning, learnedParts, withLearned } from './learned.ts';
import { contributionsOf, ranked, separation } from './rank.ts';

/** Why only words were searched although there is a model. */
const UNKNOWN_WORDS = 'The model knows no word of the query, so only words were searched.';

const BEHIND =
  'The folders have not been checked yet: what changed before the start may be missing. Search again in a few seconds.';

/** An open index with the model that made it; `embedder` is null where words alone are searched. */
export interface Searchable {
  readonly reader: Reader;
  readonly embedder: Embedder | null;
  /** Finds the candidates of a reader whose files are an outline. Absent: its files do. */
  readonly candidatesOf?: (reader: Reader) => CandidateIndex;
  /** Why there is no embedder. */
  readonly note?: string | undefined;
  /** Whether skills may have changed since the reader's generation, because a first check of the folders is going on. */
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
      : await retrieve({ ...request, query }, index, accept, offset);
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
    'words' | 'retrieval' | 'hits' | 'also' | 'confidence' | 'fit' | 'weak' | 'foreign'
  >;
  readonly more: boolean;
}

async function retrieve(
  request: SearchRequest,
  index: Searchable,
  accept: Uint8Array,
  offset: number,
): Promise<Found> {
  const { reader, embedder, precedence } = index;
  const candidates = await candidatesFor(
    request.query,
    reader,
    embedder,
    accept,
    index.candidatesOf?.(reader),
  );
  const { ordinals, features } = candidates;
  const unlearned = ranked(reader, ordinals, features);
  const similarity = similarityOf(reader, ordinals, unlearned.scores);
  // Fit, confidence and "weak" are computed without it: what was loaded before does not make a skill fit.
  const foreign = foreignTo(candidates, unlearned, reader);
  const signs = confidenceSignalsOf(candidates, unlearned, similarity.areTwins, foreign !== null);
  const learned = await learnedParts(candidates, unlearned, index);
  const order = learned === null ? unlearned : withLearned(reader, ordinals, unlearned, learned);
  const { identical } = similarity;
  const foldsTwins = request.foldTwins !== false;
  const { also: named = 0, explain = false } = request;
  const end = offset + request.limit;
  // An explanation compares with the next hit, so also the one behind the page.
  const { folded, more: rest } = collapse(
    order.order,
    end + Math.max(named, explain ? 1 : 0),
    (a, b) => foldsTwins && similarity.areTwins(a, b),
    (a, b) => foldsTwins && similarity.areTranslations(a, b),
  );
  const separate = (group: Folded) =>
    separateCopies(
      preferBetterMaintained(group, order.scores, identical, similarity.areTwins),
      (a, b) => identical.areIdentical(a, b),
      (at) => precedenceOf(precedence, identical.entry(at)),
    );
  const groups = folded.slice(offset, end).map(separate);
  const behind = folded.slice(end).map(separate);
  const also = behind.slice(0, named);
  const runnersUp = explain ? [...groups.slice(1), ...behind] : [];
  const context = { request, reader, candidates, scores: order.scores, learned };
  await readEvidence(
    candidates.documents,
    candidates.words,
    candidates.vector,
    groups.map(({ leader }, at) => ({
      ordinal: candidates.ordinals[leader]!,
      most: passagesShown(offset + at + 1, request),
    })),
  );
  const hits = groups.map((group, at) => hitOf(group, runnersUp[at]?.leader, offset + at + 1, context));
  const { first = null, fit = null } = signs === null ? {} : confidenceOf(signs);
  const retrieval = retrievalOf(candidates, index);
  const words = wordsIn(candidates.words);
  const answer = {
    words,
    retrieval,
    hits,
    ...(also.length > 0 && {
      also: also.map(({ leader }) => ({ entry: entryAt(reader, ordinals[leader]!) })),
    }),
    confidence: first,
    fit,
    weak: verdictOf(fit) === 'none',
  };
  return { answer: foreign === null ? answer : { ...answer, foreign }, more: rest || behind.length > 0 };
}

/** How candidates were found, and why not as configured. */
export function retrievalOf(
  { vector, vectors, fallback }: Candidates,
  { embedder, note, isBehind = false }: Searchable,
): Retrieval {
  const unknown = embedder !== null && vector === null ? UNKNOWN_WORDS : undefined;
  const reasons = [isBehind ? BEHIND : undefined, note ?? unknown ?? fallback ?? undefined];
  return {
    mode: vector === null ? 'lexical' : 'hybrid',
    vectors,
    model: vector === null ? null : (embedder?.id ?? null),
    note: reasons.filter((reason) => reason !== undefined).join(' ') || undefined,
  };
}

interface Context {
  readonly request: SearchRequest;
  readonly reader: Reader;
  readonly candidates: Candidates;
  readonly scores: Float32Array;
  /** What learning adds to each score; null if nothing. */
  readonly learned: Float32Array | null;
}

/** `next` is the candidate of the next hit; undefined if no explanation is needed. */
function hitOf(
  { leader, copies, twins }: Copies,
  next: number | undefined,
  position: number,
  context: Context,
): SearchHit {
  const { request, reader, candidates, scores, learned } = context;
  const { ordinals, features, words, vector, documents } = candidates;
  const most = passagesShown(position, request);
  const ordinal = ordinals[leader]!;
  return {
    rank: position,
    entry: entryAt(reader, ordinal),
    score: Math.min(1, Math.max(0, scores[leader]!)),
    evidence: evidenceFor(documents, ordinal, words, vector, most, request.excerpts),
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
