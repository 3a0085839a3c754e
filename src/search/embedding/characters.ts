/**
 * How BERT normalises a single character before tokenization (Hugging Face's BertNormalizer with clean_text,
 * handle_chinese_chars, strip_accents and lowercase, then BertPreTokenizer). `wordpiece.ts` forms the words.
 */

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
