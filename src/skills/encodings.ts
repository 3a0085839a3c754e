/** Decodes text that is neither UTF-8 nor UTF-16. */

import { detect as detectEncoding } from 'chardet';

/** Bytes from which an encoding is guessed. */
const GUESSED_BYTES = 2 ** 16;
/** Latin-1 with a few more characters, which is read for it everywhere. */
const LATIN = 'windows-1252';

/**
 * UTF-8 with some bytes of another encoding keeps its characters, and the odd bytes are read as Windows-1252; other bytes are in
 * an encoding of their own.
 */
export function guessDecoding(
  bytes: Uint8Array,
  utf8: string,
): { readonly text: string; readonly encoding: string } {
  const invalid = utf8.split('\uFFFD').length - 1;
  const valid = utf8.match(/[\u0080-\ufffc\u{10000}-\u{10ffff}]/gu)?.length ?? 0;
  if (valid >= invalid) return { text: mixedText(bytes), encoding: LATIN };
  const encoding = (detectEncoding(bytes.subarray(0, GUESSED_BYTES)) ?? LATIN).toLowerCase();
  if (encoding !== 'iso-8859-1' && encoding !== LATIN) {
    try {
      return { text: new TextDecoder(encoding, { fatal: true }).decode(bytes), encoding };
    } catch {
      // Not known to this runtime, or not these bytes after all.
    }
  }
  return { text: decodeWindows1252(bytes), encoding: LATIN };
}

/** Its bytes 80 to 9F; all others are Latin-1. Node's decoder of that name leaves them out. */
const WINDOWS_1252 = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ';

export const decodeWindows1252 = (bytes: Uint8Array): string =>
  Buffer.from(bytes)
    .toString('latin1')
    .replace(/[\u0080-\u009f]/g, (control) => WINDOWS_1252[control.charCodeAt(0) - 0x80] ?? control);

/** Valid sequences as UTF-8, each other byte as Windows-1252. */
function mixedText(bytes: Uint8Array): string {
  const strict = new TextDecoder('utf-8', { fatal: true });
  const parts: string[] = [];
  let from = 0;
  for (let at = 0; at < bytes.length; ) {
    const length = sequenceLength(bytes, at, strict);
    if (length === 0) {
      parts.push(
        new TextDecoder().decode(bytes.subarray(from, at)),
        decodeWindows1252(bytes.subarray(at, at + 1)),
      );
      from = at + 1;
    }
    at += Math.max(1, length);
  }
  parts.push(strict.decode(bytes.subarray(from)));
  return parts.join('');
}

/** Length in bytes of the UTF-8 character at an offset; 0 if there is none. */
function sequenceLength(bytes: Uint8Array, at: number, strict: InstanceType<typeof TextDecoder>): number {
  const lead = bytes[at] ?? 0;
  if (lead < 0x80) return 1;
  const length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  try {
    strict.decode(bytes.subarray(at, at + length));
    return length;
  } catch {
    return 0;
  }
}
