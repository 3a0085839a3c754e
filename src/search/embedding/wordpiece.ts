/**
 * Text → token ids, equal to Hugging Face's BERT tokenizer (WordPiece: Wu et al., arXiv 1609.08144; BertNormalizer with
 * clean_text, handle_chinese_chars, strip_accents and lowercase, then BertPreTokenizer). One pass over the text, without a
 * normalised copy.
 *
 * One deliberate difference: `[MASK]` and other special tokens in a text are ordinary words.
 */

import { ModelError } from './errors.ts';
import { extendedHash, REST, START, type Vocabulary } from './vocabulary.ts';

/**
 * Cached normalised characters outside ASCII; the cache is cleared when full, which no real catalog reaches. A
 * plain map: this is the inner loop, where the order that an LRU keeps would cost more than it saves.
 */
const CACHE_ENTRIES = 16_384;
const SPACE = 32;

export class WordPiece {
  readonly vocabulary: Vocabulary;
  /** Longer words become one unknown token; in characters. */
  readonly #maxWordChars: number;
  readonly #unknown: number;
  /** Id of each ASCII character as a word of its own. */
  readonly #ascii: Uint32Array;
  /** The current word, UTF-8. */
  readonly #word: Uint8Array;
  /** Hashes of the current piece's prefixes, by end position. */
  readonly #hashes: Int32Array;
  readonly #plain = new Map<number, Uint8Array>();

  /** Throws `MODEL_INVALID` if the vocabulary lacks the token for unknown words. */
  constructor(vocabulary: Vocabulary, unknown: string, maxWordChars: number) {
    this.vocabulary = vocabulary;
    this.#maxWordChars = maxWordChars;
    this.#unknown = vocabulary.idOf(unknown);
    if (this.#unknown < 0)
      throw new ModelError('MODEL_INVALID', `The vocabulary lacks ${unknown}, the token for unknown words.`);
    this.#ascii = Uint32Array.from({ length: 128 }, (_, code) => {
      const id = vocabulary.idOf(String.fromCharCode(code));
      return id < 0 ? this.#unknown : id;
    });
    // A character has at most four bytes.
    this.#word = new Uint8Array(4 * maxWordChars);
    this.#hashes = new Int32Array(4 * maxWordChars);
  }

  /** Writes the text's ids to `ids` and returns their number; ids beyond `ids.length` are dropped. Never fails. */
  encode(text: string, ids: Uint32Array): number {
    const word = this.#word;
    let length = 0;
    let count = 0;
    for (let at = 0; at < text.length && count < ids.length; at += 1) {
      const unit = text.charCodeAt(at);
      if (unit < 128) {
        const kind = ASCII[unit]!;
        if (kind > PUNCTUATION) {
          // Writes beyond the array's end are ignored; the word is too long anyway.
          word[length] = kind;
          length += 1;
        } else if (kind !== DROPPED) {
          if (length > 0) count = this.#append(length, ids, count);
          length = 0;
          if (kind !== GAP && count < ids.length) {
            ids[count] = this.#ascii[unit]!;
            count += 1;
          }
        }
      } else {
        const codePoint = text.codePointAt(at)!;
        if (codePoint > 0xffff) at += 1;
        const plain = this.#plainCharacter(codePoint);
        for (let part = 0; part < plain.length; part += 1) {
          if (plain[part] !== SPACE) {
            word[length] = plain[part]!;
            length += 1;
          } else if (length > 0) {
            count = this.#append(length, ids, count);
            length = 0;
          }
        }
      }
    }
    return length > 0 ? this.#append(length, ids, count) : count;
  }

  /**
   * Appends the ids of the current word: repeatedly the longest match from the left. A word that is too long, or
   * has a rest without a match, is one unknown token. Returns the new count.
   */
  #append(length: number, ids: Uint32Array, count: number): number {
    const word = this.#word;
    const hashes = this.#hashes;
    let next = count;
    let from = this.#isTooLong(length) ? -1 : 0;
    while (from >= 0 && from < length) {
      const end = Math.min(length, from + this.vocabulary.longest);
      let hash = from === 0 ? START : REST;
      for (let at = from; at < end; at += 1) {
        hash = extendedHash(hash, word[at]!);
        hashes[at] = hash;
      }
      let to = end;
      let id = this.vocabulary.find(hashes[to - 1]!, word, from, to);
      while (id < 0 && to > from + 1) {
        to -= 1;
        id = this.vocabulary.find(hashes[to - 1]!, word, from, to);
      }
      if (next < ids.length) ids[next] = id;
      next += 1;
      from = id < 0 ? -1 : to;
    }
    if (from >= 0) return Math.min(next, ids.length);
    if (count < ids.length) ids[count] = this.#unknown;
    return Math.min(count + 1, ids.length);
  }

  /** Counts characters: bytes that do not continue one. */
  #isTooLong(length: number): boolean {
    if (length <= this.#maxWordChars) return false;
    if (length > this.#word.length) return true;
    let chars = 0;
    for (let at = 0; at < length; at += 1) if ((this.#word[at]! & 0xc0) !== 0x80) chars += 1;
    return chars > this.#maxWordChars;
  }

  #plainCharacter(codePoint: number): Uint8Array {
    const known = this.#plain.get(codePoint);
    if (known !== undefined) return known;
    if (this.#plain.size >= CACHE_ENTRIES) this.#plain.clear();
    const plain = new TextEncoder().encode(plainCharacter(codePoint));
    this.#plain.set(codePoint, plain);
    return plain;
  }
}

const DROPPED = 0;
const GAP = 1;
const PUNCTUATION = 2;

/** `Uint8Array[128]`: a kind above for each ASCII character; for letters and digits the lower-case character. */
const ASCII = Uint8Array.from({ length: 128 }, (_, code) => {
  const char = String.fromCharCode(code);
  if (/[\t\n\r ]/.test(char)) return GAP;
  if (/\p{Cc}/u.test(char)) return DROPPED;
  return /[A-Za-z0-9]/.test(char) ? char.toLowerCase().charCodeAt(0) : PUNCTUATION;
});

/**
 * A character outside ASCII, normalised: '' if dropped, ' ' if it separates, ' x ' if it is a word of its own, else
 * letters without accents in lower case. Characters are lowered one by one, as the Rust reference does, so a final
 * capital sigma becomes σ.
 */
function plainCharacter(codePoint: number): string {
  const char = String.fromCodePoint(codePoint);
  if (codePoint === 0xfffd || /[\p{Cc}\p{Cf}\p{Co}\p{Cs}]/u.test(char)) return '';
  if (/\s/.test(char)) return ' ';
  const alone = isIdeograph(codePoint);
  const parts = char.normalize('NFD').replace(/\p{Mn}/gu, '');
  return Array.from(parts, (part) =>
    alone || /[\p{P}!-/:-@[-`{-~]/u.test(part) ? ` ${part} ` : part.toLowerCase(),
  ).join('');
}

/** CJK Unified Ideographs with extensions A–E and compatibility blocks, as BERT lists them; no kana, no hangul. */
function isIdeograph(codePoint: number): boolean {
  return IDEOGRAPHS.some(([from, to]) => codePoint >= from && codePoint <= to);
}

const IDEOGRAPHS = [
  [0x4e00, 0x9fff],
  [0x3400, 0x4dbf],
  [0x20000, 0x2a6df],
  [0x2a700, 0x2b73f],
  [0x2b740, 0x2b81f],
  [0x2b820, 0x2ceaf],
  [0xf900, 0xfaff],
  [0x2f800, 0x2fa1f],
] as const;
