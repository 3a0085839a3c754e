/**
 * Documents → the columns of one segment. Analyses each text once and counts in typed arrays. `merge.ts` joins finished
 * segments without their texts.
 */

import { GrowingUint32 } from '../../numbers.ts';
import { FIELDS, type Field, type PassageKind } from '../../passage.ts';
import { eachRun } from '../analysis/analyzer.ts';
import { namesOwnKind, OWN_KIND } from '../analysis/own-kind.ts';
import type { Run } from '../analysis/run.ts';
import { signedNumbers } from '../analysis/signed-numbers.ts';
import { termOfIdentifier } from '../analysis/word.ts';
import { stemmerOf } from '../language/stemmers.ts';
import { averagesOf, type FieldAverages, WIDTH, weigh } from './bm25f.ts';
import type { LexicalColumns } from './columns.ts';
import { ForwardRecords } from './forward.ts';
import { hashTerm, orderOfHashes } from './hash.ts';

/** The part of a document that the lexical index reads; `IndexDocument` is one. */
export interface LexicalDocument {
  readonly name: string;
  readonly description: string;
  /** Languages of name and description, and of each passage: their stemmers must be loaded. Default English. */
  readonly language?: string;
  readonly passages: readonly {
    readonly kind: PassageKind;
    readonly text: string;
    readonly language?: string;
  }[];
}

/**
 * Field for which a passage's text counts. A card repeats name and description, which count by themselves; the words of requests
 * do not count.
 */
const FIELD_OF_KIND: Readonly<Record<PassageKind, Field | null>> = {
  card: null,
  body: 'body',
  reference: 'reference',
  script: 'reference',
  request: null,
};

/** Maximum stored count of a term in a field: higher counts make no difference after saturation. */
const MAX_COUNT = 0xff;

export class PostingsBuilder {
  /** Provisional term numbers, in order of first occurrence. */
  readonly #numbers = new Map<string, number>();
  /** (high, low) of each term. */
  readonly #hashes = new GrowingUint32();
  /** By term: 1 + its latest posting. */
  readonly #lastPosting = new GrowingUint32();
  /** By term: 1 + the latest passage that contains it. */
  readonly #lastPassage = new GrowingUint32();
  /** Postings in document order: the term, and its counts packed as one byte per field. */
  readonly #terms = new GrowingUint32();
  readonly #counts = new GrowingUint32();
  readonly #documentStart = new GrowingUint32();
  readonly #lengths = new GrowingUint32();
  readonly #passageStart = new GrowingUint32();
  /** Distinct terms of each passage, in order of first occurrence. */
  readonly #passageTerms = new GrowingUint32();
  readonly #passageTermsStart = new GrowingUint32();
  /** Bit offset of the current field's count. */
  #shift = 0;
  /** 1 + the number of the current passage, or 0 while its terms are not recorded. */
  #passage = 0;
  #words = 0;

  constructor() {
    for (const starts of [this.#documentStart, this.#passageStart, this.#passageTermsStart]) starts.push(0);
  }

  /**
   * Adds a document; its local number is the count of earlier ones. Card passages are not analysed: they hold the terms
   * of name and description.
   */
  add(document: LexicalDocument): void {
    const first = this.#terms.length;
    const row = this.#lengths.length;
    for (let field = 0; field < WIDTH; field += 1) this.#lengths.push(0);
    this.#passage = 0;
    this.#count(document.name, 'name', row, document.language);
    if (namesOwnKind(document.name)) this.#post(this.#numberOf(OWN_KIND));
    this.#count(document.description, 'description', row, document.language);
    const cardEnd = this.#terms.length;
    for (const { kind, text, language } of document.passages) {
      const field = FIELD_OF_KIND[kind];
      this.#passage = this.#passageTermsStart.length;
      if (field !== null) this.#count(text, field, row, language);
      else if (kind === 'card')
        for (let at = first; at < cardEnd; at += 1) this.#passageTerms.push(this.#terms.get(at));
      this.#passageTermsStart.push(this.#passageTerms.length);
    }
    this.#documentStart.push(this.#terms.length);
    this.#passageStart.push(this.#passageTermsStart.length - 1);
  }

  /** The columns of all added documents. Uses their own mean lengths unless `averages` is given. Call once. */
  build(averages?: FieldAverages): LexicalColumns {
    const order = orderOfHashes(this.#hashes.view());
    const rank = new Uint32Array(order.length);
    order.forEach((term, at) => {
      rank[term] = at;
    });
    const hashes = new Uint32Array(2 * order.length);
    order.forEach((term, at) => {
      hashes[2 * at] = this.#hashes.get(2 * term);
      hashes[2 * at + 1] = this.#hashes.get(2 * term + 1);
    });
    const lengths = this.#lengths.view().slice();
    const inverted = this.#invert(rank);
    const { postings, frequencies } = inverted;
    return {
      documents: lengths.length / WIDTH,
      hashes,
      ...inverted,
      ...weigh(postings, frequencies, lengths, averages ?? averagesOf(lengths)),
      lengths,
      passageStart: this.#passageStart.view().slice(),
      ...this.#forward(rank),
    };
  }

  #count(text: string, field: Field, row: number, language: string | undefined): void {
    const position = FIELDS.indexOf(field);
    this.#shift = 8 * position;
    this.#words = 0;
    eachRun(text, this.#visit, stemmerOf(language));
    for (const { name } of signedNumbers(text, { anyCase: field === 'name' }))
      this.#post(this.#numberOf(termOfIdentifier(name)));
    this.#lengths.set(row + position, this.#lengths.get(row + position) + this.#words);
  }

  readonly #visit = (run: Run): void => {
    this.#words += run.words;
    for (const term of run.terms) {
      const number = this.#numberOf(term);
      this.#post(number);
      this.#note(number);
    }
    for (const identifier of run.identifiers) this.#post(this.#numberOf(termOfIdentifier(identifier)));
  };

  /** Counts an occurrence in the current field. */
  #post(term: number): void {
    const last = this.#lastPosting.get(term);
    if (last > this.#documentStart.get(this.#documentStart.length - 1)) {
      const counts = this.#counts.get(last - 1);
      if (((counts >>> this.#shift) & MAX_COUNT) < MAX_COUNT)
        this.#counts.set(last - 1, counts + (1 << this.#shift));
    } else {
      this.#terms.push(term);
      this.#counts.push(1 << this.#shift);
      this.#lastPosting.set(term, this.#terms.length);
    }
  }

  /** Records that the current passage contains the term. */
  #note(term: number): void {
    if (this.#passage === 0 || this.#lastPassage.get(term) === this.#passage) return;
    this.#lastPassage.set(term, this.#passage);
    this.#passageTerms.push(term);
  }

  #numberOf(term: string): number {
    const known = this.#numbers.get(term);
    if (known !== undefined) return known;
    const number = this.#numbers.size;
    this.#numbers.set(term, number);
    for (const half of hashTerm(term)) this.#hashes.push(half);
    this.#lastPosting.push(0);
    this.#lastPassage.push(0);
    return number;
  }

  /** Counting sort from document order to term order. */
  #invert(rank: Uint32Array): { offsets: Uint32Array; postings: Uint32Array; frequencies: Uint8Array } {
    const terms = this.#terms.view();
    const counts = this.#counts.view();
    const starts = this.#documentStart.view();
    const offsets = new Uint32Array(rank.length + 1);
    for (const term of terms) offsets[rank[term]! + 1]! += 1;
    for (let term = 0; term < rank.length; term += 1) offsets[term + 1]! += offsets[term]!;
    const next = offsets.slice();
    const postings = new Uint32Array(terms.length);
    const frequencies = new Uint8Array(terms.length * WIDTH);
    for (let document = 0; document + 1 < starts.length; document += 1)
      for (let at = starts[document]!; at < starts[document + 1]!; at += 1) {
        const place = next[rank[terms[at]!]!]!++;
        postings[place] = document;
        for (let field = 0; field < WIDTH; field += 1)
          frequencies[WIDTH * place + field] = (counts[at]! >>> (8 * field)) & MAX_COUNT;
      }
    return { offsets, postings, frequencies };
  }

  #forward(rank: Uint32Array): { forwardOffsets: Uint32Array; forward: Uint32Array } {
    const documents = this.#passageStart.view();
    const starts = this.#passageTermsStart.view();
    const terms = this.#passageTerms.view();
    const records = new ForwardRecords();
    for (let document = 0; document + 1 < documents.length; document += 1) {
      const first = documents[document]!;
      const passages = documents[document + 1]! - first;
      const from = starts[first]!;
      const pairs = new Float64Array(starts[first + passages]! - from);
      for (let place = 0; place < passages; place += 1)
        for (let at = starts[first + place]!; at < starts[first + place + 1]!; at += 1)
          pairs[at - from] = rank[terms[at]!]! * passages + place;
      records.push(pairs.sort(), passages);
    }
    return records.finish();
  }
}
