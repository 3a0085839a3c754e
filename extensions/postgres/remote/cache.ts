/** What was read from elsewhere, bounded in bytes: postings of terms, and columns of documents. The least recently used goes first. */

import { LRUCache } from 'lru-cache';
import type { PostingsBlock } from '../postings-block.ts';

/** Bytes of a kept entry besides its content. */
const ENTRY_BYTES = 200;
/** Encoded, which takes a third of the room of its columns; decoding costs nanoseconds a posting. */
export type KeptBlock = Pick<PostingsBlock, 'block' | 'bytes'>;

/** Columns of one document, checked. */
export interface KeptDocument {
  /** int8, `passages × d`, row-major. */
  readonly vectors: Uint8Array;
  /** Its forward record (`lexical/postings/forward.ts`). */
  readonly forward: Uint8Array;
}

/** A term without blocks is one that the segment does not have. */
type Kept = { readonly blocks: readonly KeptBlock[] } | KeptDocument;

export class RemoteCache {
  readonly #kept: LRUCache<string, Kept>;

  /** `maxBytes` > 0. */
  constructor(maxBytes: number) {
    this.#kept = new LRUCache({
      maxSize: maxBytes,
      sizeCalculation: (kept) =>
        'vectors' in kept
          ? 2 * ENTRY_BYTES + kept.vectors.length + kept.forward.length
          : kept.blocks.reduce((sum, { bytes }) => sum + ENTRY_BYTES + bytes.length, ENTRY_BYTES),
    });
  }

  /** The blocks of a term, in order. Undefined if they are not known. */
  term(key: string): readonly KeptBlock[] | undefined {
    const kept = this.#kept.get(key);
    return kept !== undefined && 'blocks' in kept ? kept.blocks : undefined;
  }

  putTerm(key: string, blocks: readonly KeptBlock[]): void {
    this.#kept.set(key, { blocks });
  }

  document(key: string): KeptDocument | undefined {
    const kept = this.#kept.get(key);
    return kept !== undefined && 'vectors' in kept ? kept : undefined;
  }

  putDocument(key: string, document: KeptDocument): void {
    this.#kept.set(key, document);
  }

  /** Bytes of what it holds. */
  get bytes(): number {
    return this.#kept.calculatedSize;
  }
}
