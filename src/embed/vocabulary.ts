/**
 * Pieces of words → token ids: a hash table over the bytes of `tokenizer.json` itself, UTF-8 as they stand there.
 * Written for a cold start, where the engine still interprets: `JSON.parse` and a Map of 32,768 strings take 50 ms of
 * CPU, this 10. Nor does a look-up need a substring.
 */

/** Hashes of pieces that begin a word start from here, those of pieces that continue one from `REST`. */
export const START = 0x811c9dc5 | 0;
export const REST = 0x2f0b4c47;

/**
 * Hash of a piece with one more byte: rotated, then mixed with it; without a call, which costs most in a cold start.
 * Each step maps hashes one to one, so pieces of the same bytes but different seeds never share a hash.
 */
export const extendedHash = (hash: number, byte: number) => (hash << 5) ^ (hash >>> 27) ^ byte;

/** Where in a table of 2ⁿ slots a hash is looked for first (multiplicative hashing: Knuth, TAOCP 3, 6.4). */
const slotOf = (hash: number, bits: number) => Math.imul(hash, 0x9e3779b1) >>> (32 - bits);

/** Bytes of the shortest entry, `"a":1,`. */
const LEAST_ENTRY = 6;

const QUOTE = 34;
const MARK = 35;
const COMMA = 44;
const ZERO = 48;
const COLON = 58;
const BACKSLASH = 92;
const CLOSING_BRACE = 125;

/** What is being read. */
const BETWEEN = 0;
const PIECE = 1;
const ID = 2;

export class Vocabulary {
  /** Where the object that was read ends (excluded). */
  readonly end: number;
  /** One more than the highest id. */
  readonly size: number = 0;
  /** Length of the longest piece without its mark, bytes. */
  readonly longest: number = 0;
  /** Holds every piece somewhere. */
  readonly #bytes: Uint8Array;
  /** Where the piece of each id begins and ends, without its mark, and its hash. */
  readonly #from: Uint32Array;
  readonly #to: Uint32Array;
  readonly #hashes: Int32Array;
  /** Open addressing: id + 1, or 0. A power of two, at least twice as many as pieces. */
  readonly #slots: Uint32Array;
  readonly #bits: number;

  /**
   * Reads the JSON object `{"piece": id, …}` that opens at `bytes[open]`. Throws `SyntaxError` where it is no such
   * object, or where its ids leave gaps larger than itself.
   *
   * One loop for everything: engines optimise it while it runs, which several short ones have to wait for.
   */
  constructor(bytes: Uint8Array, open: number) {
    const most = Math.ceil((bytes.length - open) / LEAST_ENTRY);
    const starts = new Uint32Array(most);
    const ends = new Uint32Array(most);
    const hashes = new Int32Array(most);
    const bits = Math.ceil(Math.log2(2 * most));
    const slots = new Uint32Array(2 ** bits);
    const mask = slots.length - 1;
    /** Pieces that are written with escapes, as they read: they are put behind the file. */
    const appendix: Uint8Array[] = [];
    let appended = bytes.length;
    let reading = BETWEEN;
    let from = 0;
    let to = 0;
    let hash = 0;
    let id = -1;
    let at = open + 1;
    for (; ; at += 1) {
      const byte = at < bytes.length ? bytes[at]! : 0;
      if (reading === PIECE) {
        if (byte === QUOTE) {
          to = at;
          id = -1;
          reading = ID;
        } else if (byte !== BACKSLASH) hash = (hash << 5) ^ (hash >>> 27) ^ byte;
        else {
          to = closingQuote(bytes, at);
          // Back to the opening quote: what was taken for a mark or not may read differently.
          const piece = unescaped(bytes.subarray(bytes.lastIndexOf(QUOTE, from - 1) + 1, to));
          const rest = piece[0] === MARK && piece[1] === MARK && piece.length > 2 ? piece.subarray(2) : piece;
          hash = rest.reduce(extendedHash, rest === piece ? START : REST);
          appendix.push(rest);
          at = to;
          from = appended;
          appended += rest.length;
          to = appended;
          id = -1;
          reading = ID;
        }
      } else if (reading === ID && byte >= ZERO && byte <= ZERO + 9) id = 10 * Math.max(id, 0) + byte - ZERO;
      else {
        if (id >= 0) {
          // The number is complete, whatever comes after it.
          if (id >= most) throw new SyntaxError(`A vocabulary of this size has no id ${id}.`);
          starts[id] = from;
          ends[id] = to;
          hashes[id] = hash;
          let slot = slotOf(hash, bits);
          while (slots[slot] !== 0) slot = (slot + 1) & mask;
          slots[slot] = id + 1;
          if (to - from > this.longest) this.longest = to - from;
          if (id >= this.size) this.size = id + 1;
          id = -1;
          reading = BETWEEN;
        }
        if (byte === QUOTE && reading === BETWEEN) {
          const continues = bytes[at + 1] === MARK && bytes[at + 2] === MARK && bytes[at + 3] !== QUOTE;
          if (continues) at += 2;
          hash = continues ? REST : START;
          from = at + 1;
          reading = PIECE;
        } else if (byte === CLOSING_BRACE && reading === BETWEEN) break;
        else if (byte !== (reading === ID ? COLON : COMMA) && byte !== 32 && !(byte >= 9 && byte <= 13))
          throw new SyntaxError(`Byte ${at} is out of place in a vocabulary.`);
      }
    }
    this.end = at + 1;
    this.#bytes = appendix.length === 0 ? bytes : Buffer.concat([bytes, ...appendix]);
    this.#from = starts;
    this.#to = ends;
    this.#hashes = hashes;
    this.#slots = slots;
    this.#bits = bits;
  }

  /** Id of the piece that is `word[from … to − 1]` and has that hash; −1 where there is none. */
  find(hash: number, word: Uint8Array, from: number, to: number): number {
    const slots = this.#slots;
    const mask = slots.length - 1;
    for (let slot = slotOf(hash, this.#bits); slots[slot] !== 0; slot = (slot + 1) & mask) {
      const id = slots[slot]! - 1;
      if (this.#hashes[id] === hash && this.#equals(id, word, from, to)) return id;
    }
    return -1;
  }

  /** Id of a piece that begins a word; −1 where there is none. */
  idOf(piece: string): number {
    const word = new TextEncoder().encode(piece);
    return this.find(word.reduce(extendedHash, START), word, 0, word.length);
  }

  #equals(id: number, word: Uint8Array, from: number, to: number): boolean {
    const shift = this.#from[id]! - from;
    if (this.#to[id]! - shift !== to) return false;
    for (let at = from; at < to; at += 1) if (this.#bytes[at + shift] !== word[at]) return false;
    return true;
  }
}

/** Where the string ends in which `from` is. */
function closingQuote(bytes: Uint8Array, from: number): number {
  let at = from;
  while (at < bytes.length && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1;
  return at;
}

/** What stands in a JSON string, its escapes resolved. Throws `SyntaxError` where they make no sense. */
function unescaped(inside: Uint8Array): Uint8Array {
  // A JSON literal in quotes is a string.
  const text = JSON.parse(`"${new TextDecoder().decode(inside)}"`) as string;
  return new TextEncoder().encode(text);
}
