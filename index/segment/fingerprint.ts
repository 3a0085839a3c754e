/**
 * Fingerprints that detect near-duplicate documents: one-permutation MinHash over the distinct terms of a document's
 * body (Li, Owen & Zhang, "One Permutation Hashing", NIPS 2012), 64 bins of 8 bits.
 *
 * The share of equal bins estimates the Jaccard similarity of the two term sets, with a standard deviation of about 4
 * points at 0.9. An empty bin holds 0 and never counts.
 */

import type { LexicalColumns } from '../lexical/postings/columns.ts';
import { ForwardIndex } from '../lexical/postings/forward.ts';
import { PASSAGE_KINDS } from '../passage.ts';

export const FINGERPRINT_BYTES = 64;

/** With fewer filled bins than this, two documents are too short to compare. */
const MIN_BINS = 24;

const BODY = PASSAGE_KINDS.indexOf('body');

/** `Uint8Array[N × 64]` in document order; `kinds` are those of all passages. */
export function fingerprints(columns: LexicalColumns, kinds: Uint8Array): Uint8Array {
  const out = new Uint8Array(columns.documents * FINGERPRINT_BYTES);
  const least = new Uint32Array(FINGERPRINT_BYTES);
  const records = new ForwardIndex(columns.forward);
  for (let document = 0; document < columns.documents; document += 1) {
    least.fill(0xffffffff);
    const first = columns.passageStart[document]!;
    const passages = columns.passageStart[document + 1]! - first;
    const [start, stop] = [columns.forwardOffsets[document]!, columns.forwardOffsets[document + 1]!];
    records.each(start, stop, passages, (term, passage) => {
      if (kinds[first + passage] !== BODY) return;
      const bin = columns.hashes[2 * term]! >>> 26;
      const value = columns.hashes[2 * term + 1]!;
      if (value < least[bin]!) least[bin] = value;
    });
    for (let bin = 0; bin < FINGERPRINT_BYTES; bin += 1)
      if (least[bin] !== 0xffffffff) out[document * FINGERPRINT_BYTES + bin] = 1 + (least[bin]! % 255);
  }
  return out;
}

/** 32-bit words in a fingerprint. */
export const FINGERPRINT_WORDS = FINGERPRINT_BYTES / 4;

/** Fingerprints of some documents, addressed by index. */
export class Fingerprints {
  readonly #words: Uint32Array;
  readonly #rows: Uint8Array;

  /** `words`: `Uint32Array[n × 16]`. */
  constructor(words: Uint32Array) {
    this.#words = words;
    this.#rows = new Uint8Array(words.buffer, words.byteOffset, words.byteLength);
  }

  /** Whether `similarity` is at least `least` (0–1). The first few words exclude most pairs. */
  areSimilar(a: number, b: number, least: number): boolean {
    const words = this.#words;
    const mostUnequal = (1 - least) * FINGERPRINT_BYTES;
    const [first, second] = [a * FINGERPRINT_WORDS, b * FINGERPRINT_WORDS];
    let unequal = 0;
    for (let word = 0; word < FINGERPRINT_WORDS; word += 1) {
      const difference = words[first + word]! ^ words[second + word]!;
      // Sets the highest bit of each non-zero byte, then counts these bits.
      const marks = (((difference & 0x7f7f7f7f) + 0x7f7f7f7f) | difference) & 0x80808080;
      unequal += Math.imul(marks >>> 7, 0x01010101) >>> 24;
      if (unequal > mostUnequal) return false;
    }
    return this.similarity(a, b) >= least;
  }

  /** Estimated Jaccard similarity, 0–1; 0 if either document is too short to compare. */
  similarity(a: number, b: number): number {
    let filled = 0;
    let equal = 0;
    for (let bin = 0; bin < FINGERPRINT_BYTES; bin += 1) {
      const own = this.#rows[a * FINGERPRINT_BYTES + bin]!;
      const other = this.#rows[b * FINGERPRINT_BYTES + bin]!;
      if (own === 0 && other === 0) continue;
      filled += 1;
      if (own === other) equal += 1;
    }
    return filled < MIN_BINS ? 0 : equal / filled;
  }

  areEqual(a: number, b: number): boolean {
    for (let bin = 0; bin < FINGERPRINT_BYTES; bin += 1)
      if (this.#rows[a * FINGERPRINT_BYTES + bin] !== this.#rows[b * FINGERPRINT_BYTES + bin]) return false;
    return true;
  }
}
