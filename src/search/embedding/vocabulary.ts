/**
 * Maps word pieces to token ids: a hash table over their UTF-8 bytes. A look-up creates no string. The table is
 * plain arrays, which can be read from a file (`prepared.ts`); building it takes 50 ms of CPU.
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
const slotOf = (hash: number, bits: number) => Math.imul(hash, 0x9e3779b1) >>> (32 - bits);

/** Prefix of pieces that continue a word. */
const MARK = '##';
/** Highest id: vocabularies have about 30,000 pieces, those of large models 250,000. */
const MAX_ID = 1 << 20;

/** A vocabulary as columns, by id. */
interface VocabularyColumns {
  /** End offset of each piece in `bytes`; it begins where the one before it ends. */
  readonly ends: Uint32Array;
  /** Hash of each piece. */
  readonly hashes: Int32Array;
  /** Open addressing: id + 1, or 0. The length is a power of two, at least twice the number of pieces. */
  readonly slots: Uint32Array;
  /** The pieces without their prefix, UTF-8. */
  readonly bytes: Uint8Array;
}

export class Vocabulary {
  readonly columns: VocabularyColumns;
  /** Length of the longest piece without its prefix, bytes. */
  readonly longest: number;
  readonly #ends: Uint32Array;
  readonly #hashes: Int32Array;
  readonly #slots: Uint32Array;
  readonly #bytes: Uint8Array;
  readonly #bits: number;

  /** From a JSON object `{"piece": id, …}`. Throws `SyntaxError` if it is not one, or an id is out of range. */
  static of(pieces: unknown): Vocabulary {
    if (typeof pieces !== 'object' || pieces === null || Array.isArray(pieces))
      throw new SyntaxError('A vocabulary is an object of pieces with their ids.');
    const byId: string[] = [];
    const entries = Object.entries(pieces);
    for (const [piece, id] of entries) {
      if (!(Number.isInteger(id) && id >= 0 && id <= MAX_ID))
        throw new SyntaxError(`A vocabulary has no id ${id}.`);
      byId[id] = piece;
    }
    const encoder = new TextEncoder();
    const ends = new Uint32Array(byId.length);
    const hashes = new Int32Array(byId.length);
    const bits = Math.ceil(Math.log2(2 * Math.max(1, entries.length)));
    const slots = new Uint32Array(2 ** bits);
    const parts: Uint8Array[] = [];
    let end = 0;
    let longest = 0;
    for (let id = 0; id < byId.length; id += 1) {
      const piece = byId[id];
      if (piece !== undefined) {
        const continues = piece.startsWith(MARK) && piece !== MARK;
        const part = encoder.encode(continues ? piece.slice(MARK.length) : piece);
        const hash = part.reduce(extendedHash, continues ? REST : START);
        let slot = slotOf(hash, bits);
        while (slots[slot] !== 0) slot = (slot + 1) & (slots.length - 1);
        slots[slot] = id + 1;
        hashes[id] = hash;
        parts.push(part);
        end += part.length;
        longest = Math.max(longest, part.length);
      }
      ends[id] = end;
    }
    return new Vocabulary({ ends, hashes, slots, bytes: Buffer.concat(parts) }, longest);
  }

  constructor(columns: VocabularyColumns, longest: number) {
    this.columns = columns;
    this.longest = longest;
    this.#ends = columns.ends;
    this.#hashes = columns.hashes;
    this.#slots = columns.slots;
    this.#bytes = columns.bytes;
    this.#bits = 31 - Math.clz32(columns.slots.length);
  }

  /** One more than the highest id. */
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

  #equals(id: number, word: Uint8Array, from: number, to: number): boolean {
    const start = id === 0 ? 0 : this.#ends[id - 1]!;
    if (this.#ends[id]! - start !== to - from) return false;
    const shift = start - from;
    for (let at = from; at < to; at += 1) if (this.#bytes[at + shift] !== word[at]) return false;
    return true;
  }
}
