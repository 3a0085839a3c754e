/**
 * Text → token ids, equal to Hugging Face's BERT tokenizer (WordPiece: Wu et al., arXiv 1609.08144; BertNormalizer with
 * clean_text, handle_chinese_chars, strip_accents and lowercase, then BertPreTokenizer). One pass over the text, without a
 * normalised copy.
 *
 * One deliberate difference: `[MASK]` and other special tokens in a text are ordinary words.
 */

import { ModelError } from './errors.ts';
import { extendedHash, REST, START, Vocabulary } from './vocabulary.ts';

/**
 * Cached normalised characters outside ASCII; the cache is cleared when full, which no real catalog reaches. A
 * plain map: this is the inner loop, where the order that an LRU keeps would cost more than it saves.
 */
const CACHE_ENTRIES = 16_384;
const SPACE = 32;

export class WordPiece {
  readonly vocabulary: Vocabulary;
  /** The token for unknown words. */
  readonly unknown: string;
  /** Longer words become one unknown token; in characters. */
  readonly maxWordChars: number;
  readonly #unknown: number;
  /** Id of each ASCII character as a word of its own. */
  readonly #ascii: Uint32Array;
  /** The current word, UTF-8. */
  readonly #word: Uint8Array;
  /** Hashes of the current piece's prefixes, by end position. */
  readonly #hashes: Int32Array;
  readonly #plain = new Map<number, Uint8Array>();

  /** Reads a `tokenizer.json`. Throws `MODEL_INVALID` if it is not JSON, or another kind of tokenizer. */
  static parse(file: Uint8Array): WordPiece {
    const { vocabulary, unknown, maxWordChars } = tokenizerOf(new TextDecoder().decode(file));
    return new WordPiece(readVocabulary(vocabulary), unknown, maxWordChars);
  }

  /** Throws `MODEL_INVALID` if the vocabulary lacks the token for unknown words. */
  constructor(vocabulary: Vocabulary, unknown: string, maxWordChars: number) {
    this.vocabulary = vocabulary;
    this.unknown = unknown;
    this.maxWordChars = maxWordChars;
    this.#unknown = vocabulary.idOf(unknown);
    if (this.#unknown < 0) throw invalid(`its token for unknown words, ${unknown}, is not in the vocabulary`);
    this.#ascii = Uint32Array.from({ length: 128 }, (_, code) => {
      const id = vocabulary.idOf(String.fromCharCode(code));
      return id < 0 ? this.#unknown : id;
    });
    // A character has at most four bytes.
    this.#word = new Uint8Array(4 * maxWordChars);
    this.#hashes = new Int32Array(4 * maxWordChars);
  }

  /** One more than the highest id. */
  get size(): number {
    return this.vocabulary.size;
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
    if (length <= this.maxWordChars) return false;
    if (length > this.#word.length) return true;
    let chars = 0;
    for (let at = 0; at < length; at += 1) if ((this.#word[at]! & 0xc0) !== 0x80) chars += 1;
    return chars > this.maxWordChars;
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

function readVocabulary(pieces: unknown): Vocabulary {
  try {
    return Vocabulary.of(pieces);
  } catch (cause) {
    throw invalid('its vocabulary does not map words to ids', cause);
  }
}

/** The relevant parts of `tokenizer.json`. */
function tokenizerOf(json: string): { vocabulary: unknown; unknown: string; maxWordChars: number } {
  type Part = Readonly<Record<string, unknown>> | null | undefined;
  let file: { normalizer?: Part; pre_tokenizer?: Part; model?: Part } | null;
  try {
    // Every field used is checked below.
    file = JSON.parse(json) as typeof file;
  } catch (cause) {
    throw invalid('it is not JSON', cause);
  }
  const { normalizer, pre_tokenizer, model } = file ?? {};
  const bert =
    normalizer?.type === 'BertNormalizer' &&
    normalizer.clean_text === true &&
    normalizer.handle_chinese_chars === true &&
    normalizer.lowercase === true &&
    normalizer.strip_accents !== false &&
    pre_tokenizer?.type === 'BertPreTokenizer';
  if (!bert) throw invalid('it does not normalise text as uncased BERT does');
  const { type, vocab: vocabulary, continuing_subword_prefix: prefix, unk_token: unknown } = model ?? {};
  const maxWordChars = Number(model?.max_input_chars_per_word);
  if (type !== 'WordPiece' || prefix !== '##' || typeof unknown !== 'string' || !(maxWordChars >= 1))
    throw invalid('its model is not WordPiece');
  return { vocabulary, unknown, maxWordChars };
}

function invalid(what: string, cause?: unknown): ModelError {
  return new ModelError('MODEL_INVALID', `tokenizer.json cannot be used: ${what}.`, { cause });
}

export const DROPPED = 0;
export const GAP = 1;
export const PUNCTUATION = 2;

/** `Uint8Array[128]`: a kind above for each ASCII character; for letters and digits the lower-case character. */
export const ASCII = Uint8Array.from({ length: 128 }, (_, code) => {
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
export function plainCharacter(codePoint: number): string {
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
