/** What was read from elsewhere, bounded in bytes: postings of terms, and checked pages of segments. The least recently used goes first. */

import { LRUCache } from 'lru-cache';
import type { TermPostings } from '../lexical/postings/block.ts';

/** Bytes of a kept entry besides its content. */
const ENTRY_BYTES = 200;
/** Bytes of a decoded posting. */
const POSTING_BYTES = 13;

/** Null: the segment does not have the term. */
type Kept = { readonly term: TermPostings | null } | { readonly page: Uint8Array };

export class RemoteCache {
  readonly #kept: LRUCache<string, Kept>;

  /** `maxBytes` > 0. */
  constructor(maxBytes: number) {
    this.#kept = new LRUCache({
      maxSize: maxBytes,
      sizeCalculation: (kept) =>
        ENTRY_BYTES + ('page' in kept ? kept.page.length : POSTING_BYTES * (kept.term?.postings.length ?? 0)),
    });
  }

  /** Undefined if it is not known. */
  term(key: string): TermPostings | null | undefined {
    const kept = this.#kept.get(key);
    return kept !== undefined && 'term' in kept ? kept.term : undefined;
  }

  putTerm(key: string, term: TermPostings | null): void {
    this.#kept.set(key, { term });
  }

  page(key: string): Uint8Array | undefined {
    const kept = this.#kept.get(key);
    return kept !== undefined && 'page' in kept ? kept.page : undefined;
  }

  putPage(key: string, page: Uint8Array): void {
    this.#kept.set(key, { page });
  }

  /** Bytes of what it holds. */
  get bytes(): number {
    return this.#kept.calculatedSize;
  }
}
