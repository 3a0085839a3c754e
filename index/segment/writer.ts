/**
 * Documents → one segment file. Embeds, tokenises and quantises each passage once, and writes the file in one pass at
 * the end. A segment is built in memory. To bound that and to build in parallel, callers start a new segment every few
 * thousand documents; `merge.ts` joins them.
 */

import type { Directory } from '../directory/directory.ts';
import type { Embedder } from '../embedder.ts';
import { IndexError } from '../errors.ts';
import { loadStemmers } from '../lexical/language/stemmers.ts';
import type { FieldAverages } from '../lexical/postings/bm25f.ts';
import { PostingsBuilder } from '../lexical/postings/builder.ts';
import { hashTerm, orderOfHashes } from '../lexical/postings/hash.ts';
import { GrowingUint32 } from '../numbers.ts';
import { type IndexDocument, PASSAGE_KINDS, type Passage } from '../passage.ts';
import { type Quantized, quantize } from '../vectors/int8.ts';
import { fingerprints } from './fingerprint.ts';
import {
  DIGEST_BYTES,
  LEXICAL_COLUMNS,
  SEGMENT_FORMAT,
  type SegmentInfo,
  type SegmentMeta,
} from './format.ts';
import { putColumn, streamColumn } from './pages.ts';
import { documentVector } from './passage-vectors.ts';
import { writeRecords } from './records.ts';
import { bytesOf, SectionWriter } from './sections.ts';

const utf8 = new TextEncoder();

export class SegmentWriter {
  readonly #embedder: Embedder;
  readonly #recipe: string;
  readonly #postings = new PostingsBuilder();
  readonly #keys = new Set<string>();
  readonly #digests: Uint8Array[] = [];
  readonly #aliasHashes = new GrowingUint32();
  readonly #aliasDocuments = new GrowingUint32();
  readonly #facets = new Map<string, number[]>();
  readonly #payloads: Uint8Array[] = [];
  readonly #passages: Uint8Array[] = [];
  readonly #kinds: number[] = [];
  readonly #documentVectors: Quantized[] = [];
  readonly #passageVectors: Quantized[] = [];

  /** `recipe` identifies everything outside the model that shapes passages; see `IndexManifest.recipe`. */
  constructor(embedder: Embedder, recipe: string) {
    this.#embedder = embedder;
    this.#recipe = recipe;
  }

  get documents(): number {
    return this.#keys.size;
  }

  get passages(): number {
    return this.#passages.length;
  }

  /**
   * Embeds and adds documents, in order. Throws `INDEX_INPUT` for a duplicate key, a missing card or an invalid digest.
   */
  async add(documents: readonly IndexDocument[]): Promise<void> {
    const passages = documents.flatMap((document) => document.passages);
    await loadStemmers([...documents, ...passages].flatMap(({ language }) => language ?? []));
    const vectors = await this.#embedder.embedPassages(passages.map(embeddedText));
    const { dimensions } = this.#embedder;
    this.#passageVectors.push(quantize(vectors, dimensions));
    let row = 0;
    const summaries = new Float32Array(documents.length * dimensions);
    documents.forEach((document, at) => {
      const count = document.passages.length;
      const own = vectors.subarray(row * dimensions, (row + count) * dimensions);
      summaries.set(documentVector(own, document.passages, dimensions), at * dimensions);
      row += count;
      this.#take(document);
    });
    this.#documentVectors.push(quantize(summaries, dimensions));
  }

  /** Writes the segment. `averages` sets the mean field lengths, so new segments match those of a large index. */
  finish(directory: Directory, name: string, averages?: FieldAverages): SegmentInfo {
    const lexical = this.#postings.build(averages);
    const sink = directory.create(name);
    try {
      const sections = new SectionWriter(sink);
      writeKeys(sections, [...this.#keys]);
      sections.put('digests', new Uint8Array(Buffer.concat(this.#digests)));
      writeAliases(sections, this.#aliasHashes.view(), this.#aliasDocuments.view());
      sections.put('facets', utf8.encode(JSON.stringify(Object.fromEntries(this.#facets))));
      sections.put('passages.kinds', Uint8Array.from(this.#kinds));
      sections.put('fingerprints', fingerprints(lexical, Uint8Array.from(this.#kinds)));
      for (const [section, column] of LEXICAL_COLUMNS) putColumn(sections, section, lexical[column]);
      writeVectors(sections, 'vectors.documents', this.#documentVectors);
      writeVectors(sections, 'vectors.passages', this.#passageVectors);
      writeRecords(sections, 'payloads', this.#payloads.length, this.#payloads);
      writeRecords(sections, 'passages', this.#passages.length, this.#passages);
      const meta: SegmentMeta = {
        format: SEGMENT_FORMAT,
        embedder: this.#embedder.id,
        dimensions: this.#embedder.dimensions,
        recipe: this.#recipe,
        documents: this.#keys.size,
        passages: this.#passages.length,
      };
      const bytes = sections.commit(meta);
      return { name, documents: meta.documents, passages: meta.passages, bytes };
    } finally {
      sink.abandon();
    }
  }

  #take(document: IndexDocument): void {
    if (this.#keys.has(document.key))
      throw new IndexError('INDEX_INPUT', `Two documents have the key ${JSON.stringify(document.key)}.`);
    if (document.passages[0]?.kind !== 'card')
      throw new IndexError(
        'INDEX_INPUT',
        `The first passage of ${JSON.stringify(document.key)} is not a card.`,
      );
    const digest = Buffer.from(document.digest, 'hex');
    if (digest.length !== DIGEST_BYTES)
      throw new IndexError(
        'INDEX_INPUT',
        `The digest of ${JSON.stringify(document.key)} is not a hex SHA-256.`,
      );
    const number = this.#keys.size;
    this.#keys.add(document.key);
    this.#digests.push(digest);
    for (const alias of new Set([document.key, ...document.aliases])) {
      for (const half of hashTerm(alias)) this.#aliasHashes.push(half);
      this.#aliasDocuments.push(number);
    }
    for (const facet of new Set(document.facets)) {
      const members = this.#facets.get(facet);
      if (members === undefined) this.#facets.set(facet, [number]);
      else members.push(number);
    }
    this.#payloads.push(utf8.encode(JSON.stringify(document.payload)));
    for (const passage of document.passages) {
      this.#kinds.push(PASSAGE_KINDS.indexOf(passage.kind));
      this.#passages.push(utf8.encode(JSON.stringify(passage)));
    }
    this.#postings.add(document);
  }
}

/** The text that the model embeds: the context first, because models favour the start and truncate the end. */
function embeddedText(passage: Passage): string {
  return passage.title === '' ? passage.text : `${passage.title}\n${passage.text}`;
}

function writeVectors(sections: SectionWriter, name: string, batches: readonly Quantized[]): void {
  streamColumn(sections, name, (write) => {
    for (const { values } of batches) write(bytesOf(values));
  });
  sections.stream(`${name}.scales`, (write) => {
    for (const { scales } of batches) write(bytesOf(scales));
  });
}

/** Keys in document order, concatenated as UTF-8, with offsets. */
export function writeKeys(sections: SectionWriter, keys: readonly string[]): void {
  const encoder = new TextEncoder();
  const parts = keys.map((key) => encoder.encode(key));
  const offsets = new Uint32Array(parts.length + 1);
  for (const [at, part] of parts.entries()) offsets[at + 1] = offsets[at]! + part.length;
  sections.put('keys.offsets', offsets);
  sections.put('keys', new Uint8Array(Buffer.concat(parts)));
}

/**
 * Sorted by hash, then by document, for the binary search of `SegmentReader.resolve`. `hashes` are the (high, low)
 * hashes of the aliases, `documents` the document of each, ascending.
 */
export function writeAliases(sections: SectionWriter, hashes: Uint32Array, documents: Uint32Array): void {
  const order = orderOfHashes(hashes);
  const sorted = new Uint32Array(hashes.length);
  order.forEach((alias, at) => {
    sorted[2 * at] = hashes[2 * alias]!;
    sorted[2 * at + 1] = hashes[2 * alias + 1]!;
  });
  sections.put('aliases.hashes', sorted);
  sections.put(
    'aliases.documents',
    order.map((alias) => documents[alias]!),
  );
}
