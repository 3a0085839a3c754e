/** Documents that were read from elsewhere for one query: their signals, by the code that reads segments, and their texts. */

import { crc32 } from 'node:zlib';
import type { DocumentReader } from '../../../index/candidates.ts';
import { IndexError } from '../../../index/errors.ts';
import type { LexicalQuery } from '../../../index/lexical/query/query.ts';
import type { LexicalSearch } from '../../../index/lexical/query/search.ts';
import type { Passage } from '../../../index/passage.ts';
import { bestCoverage } from '../../../index/reader/passages.ts';
import type { Reader } from '../../../index/reader/reader.ts';
import { PassageTerms } from '../../../index/segment/passage-terms.ts';
import { PassageVectors } from '../../../index/segment/passage-vectors.ts';
import type { SegmentReader } from '../../../index/segment/reader.ts';
import { Int8Matrix } from '../../../index/vectors/matrix.ts';
import type { RemoteSource } from '../database/search-reader.ts';
import type { RemoteRange } from '../database/search-rows.ts';
import type { KeptDocument, RemoteCache } from './cache.ts';
import { readPaged, type WantedBytes } from './pages.ts';

interface Place {
  readonly reader: SegmentReader;
  /** Index of its segment. */
  readonly segment: number;
  /** Number of the document in its segment. */
  readonly document: number;
  /** Numbers of its passages in the segment: `first` to `end` (exclusive). */
  readonly first: number;
  readonly end: number;
}

export interface DocumentsRequest {
  readonly reader: Reader;
  readonly ordinals: Uint32Array;
  readonly words: LexicalQuery;
  readonly lexical: LexicalSearch;
  /** By segment: the numbers of the query's columns in the whole segment. */
  readonly numbers: readonly Uint32Array[];
  readonly source: RemoteSource;
  readonly cache: RemoteCache;
}

/** Reads vectors and forward records of the documents in one round trip; texts when they are asked for, in another one. */
export async function readDocuments(request: DocumentsRequest): Promise<DocumentReader> {
  const { reader, ordinals, words, lexical, source, cache } = request;
  const places = Array.from(ordinals, (ordinal) => placeOf(reader, ordinal));
  const { dimensions } = reader.manifest.embedder;
  const held = await readColumns(places, dimensions, source, cache);
  const passageStart = startsOf(places.map(({ first, end }) => end - first));
  const vectors = vectorsOf(places, passageStart, dimensions, (at) => held[at]!.vectors);
  const kinds = new Uint8Array(passageStart.at(-1) ?? 0);
  places.forEach(({ reader: own, first, end }, at) => {
    kinds.set(own.kinds.subarray(first, end), passageStart[at]!);
  });
  const records = recordsOf(held.map(({ forward }) => forward));
  const terms = new PassageTerms(records.words, records.offsets, passageStart);
  // Forward records have the numbers of the whole segment.
  const renumbered: LexicalQuery = {
    ...words,
    segments: words.segments.map(({ numbers, terms: own }, segment) => ({
      numbers: numbers.map((number) => request.numbers[segment]![number]!),
      terms: own,
    })),
  };
  const byOrdinal = new Map(Array.from(ordinals, (ordinal, at) => [ordinal, at]));
  const at = (ordinal: number) => {
    const found = byOrdinal.get(ordinal);
    if (found === undefined) throw new RangeError(`The document ${ordinal} was not read.`);
    return found;
  };
  const each = (asked: Uint32Array) => asked.map(at);
  const own = (query: LexicalQuery) => {
    if (query !== words) throw new RangeError('The documents were read for another query.');
    return renumbered;
  };
  const weights = (query: LexicalQuery, ordinal: number) =>
    terms.weights(own(query), places[at(ordinal)]!.segment, at(ordinal));
  const texts = new Map<string, Passage>();
  return {
    lexical,
    passages: {
      cosines(query, ordinal) {
        const [from, to] = [passageStart[at(ordinal)]!, passageStart[at(ordinal) + 1]!];
        const cosines = new Float32Array(to - from);
        vectors.dots(query, from, to, cosines);
        return cosines;
      },
      cardCosines(query, asked) {
        const cosines = new Float32Array(asked.length);
        vectors.cards(query, each(asked), { passageStart, kinds }, cosines);
        return cosines;
      },
      bestBodyCosines(query, asked) {
        const cosines = new Float32Array(asked.length);
        vectors.bestOfBodies(query, each(asked), { passageStart, kinds }, cosines);
        return cosines;
      },
      weights: (query, ordinal) => weights(query, ordinal).slice(),
      terms: (query, ordinal, passage) =>
        terms.held(own(query), places[at(ordinal)]!.segment, at(ordinal), passage),
      bestCoverage: (query, asked) => bestCoverage(query, asked, (ordinal) => weights(query, ordinal)),
      get(ordinal, passage) {
        const text = texts.get(`${ordinal} ${passage}`);
        if (text === undefined) throw new RangeError(`Passage ${passage} of ${ordinal} was not read.`);
        return text;
      },
    },
    async readPassages(asked) {
      const missing = asked.filter(({ ordinal, at: passage }) => !texts.has(`${ordinal} ${passage}`));
      const ranges = missing.map(({ ordinal, at: passage }) => textRange(places[at(ordinal)]!, passage));
      const read = ranges.length === 0 ? [] : await source.read(ranges);
      missing.forEach(({ ordinal, at: passage }, place) => {
        const { reader: own, first } = places[at(ordinal)]!;
        texts.set(`${ordinal} ${passage}`, parsed(own, first + passage, read[place]!));
      });
    },
  };
}

/** Vectors and forward record of each document, from the cache, the others in one round trip. */
async function readColumns(
  places: readonly Place[],
  dimensions: number,
  source: Pick<RemoteSource, 'read'>,
  cache: RemoteCache,
): Promise<KeptDocument[]> {
  const keys = places.map(({ reader, document }) => `${reader.name}/${document}`);
  const kept = keys.map((key) => cache.document(key));
  const missing = places.flatMap((_, at) => (kept[at] === undefined ? [at] : []));
  const bytes = await readPaged(
    missing.flatMap((at): WantedBytes[] => {
      const { reader, document, first, end } = places[at]!;
      const offsets = reader.forwardOffsets;
      return [
        { reader, section: 'vectors.passages', from: first * dimensions, to: end * dimensions },
        { reader, section: 'forward', from: 4 * offsets[document]!, to: 4 * offsets[document + 1]! },
      ];
    }),
    source,
  );
  missing.forEach((at, place) => {
    const document = { vectors: bytes[2 * place]!, forward: bytes[2 * place + 1]! };
    cache.putDocument(keys[at]!, document);
    kept[at] = document;
  });
  return kept.map((document) => document!);
}

function placeOf(reader: Reader, ordinal: number): Place {
  const segment = reader.segments.findLastIndex(({ base }) => base <= ordinal);
  const { reader: own, base } = reader.segments[segment]!;
  const document = ordinal - base;
  return {
    reader: own,
    segment,
    document,
    first: own.passageStart[document]!,
    end: own.passageStart[document + 1]!,
  };
}

/** Start of each of consecutive runs, then the end of the last. */
function startsOf(lengths: readonly number[]): Uint32Array {
  const starts = new Uint32Array(lengths.length + 1);
  lengths.forEach((length, at) => {
    starts[at + 1] = starts[at]! + length;
  });
  return starts;
}

function vectorsOf(
  places: readonly Place[],
  passageStart: Uint32Array,
  dimensions: number,
  bytesAt: (at: number) => Uint8Array,
): PassageVectors {
  const matrix = Int8Matrix.allocate(passageStart.at(-1) ?? 0, dimensions);
  places.forEach(({ reader, first, end }, at) => {
    matrix.fill(passageStart[at]!, end - first, (target) => target.set(bytesAt(at)));
    matrix.scales.set(reader.passageScales.subarray(first, end), passageStart[at]!);
  });
  return new PassageVectors(matrix);
}

function recordsOf(all: readonly Uint8Array[]): { words: Uint32Array; offsets: Uint32Array } {
  const offsets = startsOf(all.map(({ length }) => length / 4));
  const words = new Uint32Array(offsets.at(-1) ?? 0);
  const bytes = new Uint8Array(words.buffer);
  all.forEach((record, at) => {
    bytes.set(record, 4 * offsets[at]!);
  });
  return { words, offsets };
}

function textRange({ reader, first }: Place, passage: number): RemoteRange {
  const { offset } = reader.elsewhere('passages');
  const { from, to } = reader.passageRecord(first + passage);
  return { segment: reader.name, from: offset + from, to: offset + to };
}

function parsed(reader: SegmentReader, passage: number, bytes: Uint8Array): Passage {
  if (crc32(bytes) !== reader.passageRecord(passage).check)
    throw new IndexError(
      'INDEX_DAMAGED',
      `The text of passage ${passage} of ${reader.name} fails its checksum.`,
    );
  // The cast is sound: the checksum holds, so it is what the writer serialised.
  return JSON.parse(new TextDecoder().decode(bytes)) as Passage;
}
