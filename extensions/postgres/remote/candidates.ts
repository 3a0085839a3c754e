/**
 * Candidates of an index whose outline is here and whose words, vectors and texts are elsewhere. Three round trips at most:
 * postings and near documents; signals of the candidates; texts of the passages that are shown. Scores are those of the files:
 * the same code computes them from the same bytes.
 */

import { type CandidateIndex, type CandidateQuery, type LookedAt, union } from '../../../index/candidates.ts';
import { WIDTH } from '../../../index/lexical/postings/bm25f.ts';
import type { LexicalColumns } from '../../../index/lexical/postings/columns.ts';
import { hashTerm } from '../../../index/lexical/postings/hash.ts';
import { type LexicalQuery, termsAsked } from '../../../index/lexical/query/query.ts';
import type { LexicalSearch } from '../../../index/lexical/query/search.ts';
import { USUAL_TERMS } from '../../../index/lexical/query/word-weights.ts';
import type { Reader } from '../../../index/reader/reader.ts';
import type { SegmentReader } from '../../../index/segment/reader.ts';
import type { RemoteSource } from '../database/search-reader.ts';
import type { NearDocument, NearestRequest, TermHash, WantedTerms } from '../database/search-rows.ts';
import { headOf, readBlock } from '../postings-block.ts';
import type { KeptBlock, RemoteCache } from './cache.ts';
import { readDocuments } from './documents.ts';

/** The lexical search of one query. */
interface Prepared {
  readonly words: LexicalQuery;
  readonly lexical: LexicalSearch;
  readonly numbers: readonly Uint32Array[];
}

/** How far the learned weights hold, by reader: asked for once. */
const trusts = new WeakMap<Reader, number>();

export class RemoteCandidates implements CandidateIndex {
  /** With it, 98.5 % of the first ten hits are those of the files (with all: 99.4 %), for two thirds of the work (`bench/TRIED.md`). */
  readonly depthShare = 0.7;
  readonly #reader: Reader;
  readonly #source: RemoteSource;
  readonly #cache: RemoteCache;

  /** `reader` has an outline, or part of one. `cache` may be shared. */
  constructor(reader: Reader, source: RemoteSource, cache: RemoteCache) {
    this.#reader = reader;
    this.#source = source;
    this.#cache = cache;
  }

  async find(query: CandidateQuery, depth: number, accept: Uint8Array) {
    const nearest =
      query.vector === null || this.#reader.documentsIn(accept) === 0
        ? null
        : this.#nearestOf(query.vector, depth, accept);
    const { prepared, near } = await this.#retrieve(query, nearest);
    const { words, lexical } = prepared;
    const byWords = lexical.match(words, depth, accept).ordinals;
    const byMeaning = this.#best(near, depth);
    const ordinals = union(byWords, byMeaning);
    const documents = await this.#read(prepared, ordinals);
    const kind = nearest?.exact === true || nearest === null ? 'exact' : 'hnsw';
    return {
      words,
      ordinals,
      documents,
      vectors: query.vector === null ? ('none' as const) : (kind as 'exact' | 'hnsw'),
      fallback: null,
    };
  }

  async lookAt(query: CandidateQuery, ordinals: Uint32Array): Promise<LookedAt> {
    const { prepared } = await this.#retrieve(query, null);
    return { words: prepared.words, documents: await this.#read(prepared, ordinals) };
  }

  #read({ words, lexical, numbers }: Prepared, ordinals: Uint32Array) {
    const [reader, source, cache] = [this.#reader, this.#source, this.#cache];
    return readDocuments({ reader, ordinals, words, lexical, numbers, source, cache });
  }

  #nearestOf(vector: Float32Array, count: number, accept: Uint8Array): NearestRequest {
    const { segments, isRestricted } = this.#reader;
    const size = this.#reader.documentsIn(accept);
    return {
      vector,
      count,
      accepted: segments.map(({ reader, base }) => ({
        segment: reader.name,
        documents: accept.subarray(base, base + reader.meta.documents),
      })),
      size,
      isFiltered: size < accept.length,
      exact: isRestricted,
    };
  }

  /** Fetches the terms that are not kept, and searches vectors, in one round trip or none. */
  async #retrieve(
    { text, language, speakers }: CandidateQuery,
    nearest: NearestRequest | null,
  ): Promise<{ prepared: Prepared; near: readonly NearDocument[] }> {
    const reader = this.#reader;
    const trust = trusts.get(reader) ?? null;
    const asked = hashesOf([...termsAsked(text, language), ...(trust === null ? USUAL_TERMS : [])]);
    const known = new Map<string, readonly KeptBlock[]>();
    const missing: WantedTerms[] = [];
    for (const { reader: own } of reader.segments) {
      const terms: TermHash[] = [];
      for (const hash of asked) {
        const key = keyOf(own.name, hash);
        const kept = this.#cache.term(key);
        if (kept === undefined) terms.push(hash);
        else known.set(key, kept);
      }
      if (terms.length > 0) missing.push({ segment: own.name, terms });
    }
    const found =
      missing.length === 0 && nearest === null
        ? { postings: [], nearest: [] }
        : await this.#source.retrieve(missing, nearest);
    const fetched = new Map<string, KeptBlock[]>();
    for (const { segment, high, low, block, bytes } of found.postings) {
      const key = keyOf(segment, { high, low });
      const own = fetched.get(key);
      if (own === undefined) fetched.set(key, [{ block, bytes }]);
      else own.push({ block, bytes });
    }
    for (const { segment, terms } of missing)
      for (const hash of terms) {
        const key = keyOf(segment, hash);
        const blocks = fetched.get(key) ?? [];
        known.set(key, blocks);
        this.#cache.putTerm(key, blocks);
      }
    const columns = reader.segments.map(({ reader: own }) =>
      columnsOf(
        own,
        asked.flatMap((hash) => {
          const blocks = known.get(keyOf(own.name, hash)) ?? [];
          return blocks.length === 0 ? [] : [{ hash, blocks }];
        }),
        reader.isRestricted,
      ),
    );
    const lexical = reader.lexicalOver(
      columns.map((each) => each.columns),
      trust,
    );
    trusts.set(reader, lexical.trust);
    const words = lexical.prepare(text, language, speakers);
    return {
      prepared: { words, lexical, numbers: columns.map(({ numbers }) => numbers) },
      near: found.nearest,
    };
  }

  /** The ordinals of the best `count`; among equal scores, those with the lower keys where the reader is restricted. */
  #best(near: readonly NearDocument[], count: number): Uint32Array {
    const reader = this.#reader;
    const bases = new Map(reader.segments.map(({ reader: own, base }) => [own.name, base]));
    const all = near.map(({ segment, document, score }) => ({
      ordinal: bases.get(segment)! + document,
      score,
    }));
    if (reader.isRestricted)
      all.sort((a, b) => b.score - a.score || reader.compareKeys(a.ordinal, b.ordinal));
    return Uint32Array.from(all.slice(0, count), ({ ordinal }) => ordinal);
  }
}

/** In order, each once. */
function hashesOf(terms: readonly string[]): TermHash[] {
  const hashes = [...new Set(terms)].map((term) => {
    const [high, low] = hashTerm(term);
    return { high, low };
  });
  return hashes.sort((a, b) => a.high - b.high || a.low - b.low);
}

const keyOf = (segment: string, { high, low }: TermHash) => `${segment}/${high}-${low}`;

interface QueryColumns {
  readonly columns: LexicalColumns;
  /** The number that each term of `columns` has in the whole segment, ascending as well. */
  readonly numbers: Uint32Array;
}

/**
 * `terms` in order of their hashes with all their blocks, without those that the segment does not have. A restricted search
 * weighs postings anew by their frequencies, others need none. Throws `RangeError` for a damaged block.
 */
function columnsOf(
  reader: SegmentReader,
  terms: readonly { readonly hash: TermHash; readonly blocks: readonly KeptBlock[] }[],
  needsFrequencies: boolean,
): QueryColumns {
  const heads = terms.map(({ blocks }) => blocks.map(headOf));
  const total = heads.flat().reduce((sum, { count }) => sum + count, 0);
  const columns = {
    documents: reader.meta.documents,
    hashes: new Uint32Array(2 * terms.length),
    offsets: new Uint32Array(terms.length + 1),
    postings: new Uint32Array(total),
    impacts: new Uint16Array(total),
    cardImpacts: new Uint16Array(total),
    fields: new Uint8Array(total),
    frequencies: new Uint8Array(needsFrequencies ? WIDTH * total : 0),
    lengths: reader.lengths,
    passageStart: reader.passageStart,
    forwardOffsets: reader.forwardOffsets,
    forward: new Uint32Array(0),
  };
  const numbers = new Uint32Array(terms.length);
  let from = 0;
  terms.forEach(({ hash, blocks }, at) => {
    columns.hashes.set([hash.high, hash.low], 2 * at);
    blocks.forEach((block, part) => {
      const { number, count } = heads[at]![part]!;
      numbers[at] = number;
      readBlock(block, columns, from);
      from += count;
    });
    columns.offsets[at + 1] = from;
  });
  return { columns, numbers };
}
