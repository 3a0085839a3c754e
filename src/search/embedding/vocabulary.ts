/**
 * Maps word pieces to token ids: a hash table over their UTF-8 bytes. A look-up creates no string. The table is in the
 * model's file, since to build it takes 10 ms of CPU at each start.
 */

/** Initial hash of pieces that begin a word; `REST` is that of pieces that continue one. */
export const START = 0x811c9dc5 | 0;
export const REST = 0x2f0b4c47;

/**
 * Extends a piece's hash by one byte: rotate, then xor. No function calls, which dominate a cold start. Each step
 * is a bijection, so pieces of the same bytes but different initial hashes never collide.
 */
export const extendedHash = (hash: number, byte: number) => (hash << 5) ^ (hash >>> 27) ^ byte;

/** First slot to probe in a table of 2ⁿ slots (multiplicative hashing: Knuth, TAOCP 3, 6.4). */
export const slotOf = (hash: number, bits: number) => Math.imul(hash, 0x9e3779b1) >>> (32 - bits);

/** `#`; two of them mark a piece that continues a word. */
const MARK = 35;

/** A vocabulary as columns, by id. */
export interface VocabularyColumns {
  /** The pieces, one per line, UTF-8. */
  readonly bytes: Uint8Array;
  /** Where each line ends in `bytes`. */
  readonly ends: Uint32Array;
  /** Hash of each piece without its mark. */
  readonly hashes: Int32Array;
  /** Open addressing: id + 1, or 0. The length is a power of two, at least twice the number of pieces. */
  readonly slots: Uint32Array;
  /** Length of the longest piece, bytes. */
  readonly longest: number;
}

export class Vocabulary {
  readonly longest: number;
  readonly #bytes: Uint8Array;
  readonly #ends: Uint32Array;
  readonly #hashes: Int32Array;
  readonly #slots: Uint32Array;
  readonly #bits: number;

  constructor({ bytes, ends, hashes, slots, longest }: VocabularyColumns) {
    this.longest = longest;
    this.#bytes = bytes;
    this.#ends = ends;
    this.#hashes = hashes;
    this.#slots = slots;
    this.#bits = 31 - Math.clz32(slots.length);
  }

  /** The pieces that begin a word and have letters only, four or more, in the order of their ids. */
  words(): string[] {
    // A piece that continues a word begins with its mark.
    return new TextDecoder()
      .decode(this.#bytes)
      .split('\n')
      .filter((piece) => /^\p{L}{4,}$/u.test(piece));
  }

  /** Number of pieces. */
  get size(): number {
    return this.#ends.length;
  }

  /** Id of the piece `word[from … to − 1]` with that hash; −1 if there is none. */
  find(hash: number, word: Uint8Array, from: number, to: number): number {
    const slots = this.#slots;
    const mask = slots.length - 1;
    for (let slot = slotOf(hash, this.#bits); slots[slot] !== 0; slot = (slot + 1) & mask) {
      const id = slots[slot]! - 1;
      if (this.#hashes[id] === hash && this.#equals(id, word, from, to)) return id;
    }
    return -1;
  }

  /** Id of a piece that begins a word; −1 if there is none. */
  idOf(piece: string): number {
    const word = new TextEncoder().encode(piece);
    return this.find(word.reduce(extendedHash, START), word, 0, word.length);
  }

  /** Where a piece begins in `bytes`, without its mark; `##` itself has none. */
  #start(id: number): number {
    const line = id === 0 ? 0 : this.#ends[id - 1]! + 1;
    const continues =
      this.#ends[id]! - line > 2 && this.#bytes[line] === MARK && this.#bytes[line + 1] === MARK;
    return continues ? line + 2 : line;
  }

  #equals(id: number, word: Uint8Array, from: number, to: number): boolean {
    const start = this.#start(id);
    if (this.#ends[id]! - start !== to - from) return false;
    const shift = start - from;
    for (let at = from; at < to; at += 1) if (this.#bytes[at + shift] !== word[at]) return false;
    return true;
  }
}
