/**
 * What an image is, from its bytes: the four formats that model APIs accept, whole and within their limits. One image that an
 * API refuses spoils every later turn of a conversation. Decoding pixels is left to the reader.
 */

import { crc32 } from 'node:zlib';

/** Largest side, pixels: the largest that the Anthropic API accepts; the others accept more. */
const MAX_SIDE = 8_000;

export type ImageCheck =
  | { readonly ok: true; readonly mimeType: string }
  /** `what` completes "the file …". */
  | { readonly ok: false; readonly what: string };

interface Format {
  readonly name: string;
  readonly mimeType: string;
  matches(bytes: Buffer): boolean;
  /** Width and height in pixels; null if the file is cut off or damaged. */
  size(bytes: Buffer): readonly [number, number] | null;
}

const startsWith =
  (...signatures: readonly (string | readonly number[])[]) =>
  (bytes: Buffer) =>
    signatures.some((signature) => {
      const start = typeof signature === 'string' ? Buffer.from(signature, 'latin1') : Buffer.from(signature);
      return bytes.subarray(0, start.length).equals(start);
    });

const isRiff = (bytes: Buffer) => startsWith('RIFF')(bytes) && bytes.toString('latin1', 8, 12) === 'WEBP';

const FORMATS: readonly Format[] = [
  { name: 'PNG', mimeType: 'image/png', matches: startsWith([0x89, 0x50, 0x4e, 0x47]), size: pngSize },
  { name: 'JPEG', mimeType: 'image/jpeg', matches: startsWith([0xff, 0xd8, 0xff]), size: jpegSize },
  { name: 'GIF', mimeType: 'image/gif', matches: startsWith('GIF87a', 'GIF89a'), size: gifSize },
  { name: 'WebP', mimeType: 'image/webp', matches: isRiff, size: webpSize },
];

/** Other files that are called images, and what often takes an image's place. */
const OTHERS: readonly (readonly [string, (bytes: Buffer) => boolean])[] = [
  ['is a Git LFS pointer: the file itself was not fetched', isLfsPointer],
  ['is a BMP image', startsWith('BM')],
  ['is a TIFF image', startsWith('II*\0', 'MM\0*', 'II+\0', 'MM\0+')],
  ['is an icon (ICO)', startsWith([0, 0, 1, 0], [0, 0, 2, 0])],
  ['is a Photoshop image', startsWith('8BPS')],
  ['is a JPEG XL image', startsWith([0xff, 0x0a], [0, 0, 0, 0x0c, 0x4a, 0x58, 0x4c, 0x20])],
  ['is a JPEG 2000 image', startsWith([0, 0, 0, 0x0c, 0x6a, 0x50, 0x20, 0x20])],
  ['is an AVIF or HEIC image, or a video', (bytes) => bytes.toString('latin1', 4, 8) === 'ftyp'],
  ['is a PDF', startsWith('%PDF')],
  ['is a ZIP archive', startsWith('PK\x03\x04')],
  ['is a gzip archive', startsWith([0x1f, 0x8b])],
  ['is HTML', (bytes) => /^\s*<(?:!doctype html|html|head|body)\b/i.test(bytes.toString('latin1', 0, 256))],
  ['is SVG or other XML', (bytes) => /^\s*<(?:\?xml|svg)\b/i.test(bytes.toString('latin1', 0, 256))],
];

/** True for the text that Git LFS leaves in place of a file (git-lfs, docs/spec.md). */
export function isLfsPointer(bytes: Uint8Array): boolean {
  return (
    bytes.length < 1_024 &&
    Buffer.from(bytes.subarray(0, 60))
      .toString('latin1')
      .startsWith('version https://git-lfs.github.com/spec/v')
  );
}

/** Null unless the bytes begin as a PNG, JPEG, GIF or WebP. */
export function checkImage(data: Uint8Array): ImageCheck | null {
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  const format = FORMATS.find(({ matches }) => matches(bytes));
  if (format === undefined) return null;
  const { name, mimeType } = format;
  const size = format.size(bytes);
  if (size === null) return { ok: false, what: `is a ${name} image that is cut off or damaged` };
  const [width, height] = size;
  if (width === 0 || height === 0) return { ok: false, what: `is a ${name} image without pixels` };
  if (Math.max(width, height) > MAX_SIDE)
    return {
      ok: false,
      what: `is a ${name} image of ${width} × ${height} pixels; at most ${MAX_SIDE} a side are sent`,
    };
  return { ok: true, mimeType };
}

/** What a file is that is called an image and is none of the four. Completes "the file …". */
export function describeOther(data: Uint8Array): string {
  if (data.length === 0) return 'is empty';
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  const other = OTHERS.find(([, matches]) => matches(bytes));
  return other?.[0] ?? 'is not a PNG, JPEG, GIF or WebP';
}

/** PNG (ISO/IEC 15948): every chunk whole with its checksum, IHDR first, pixels, IEND last. */
function pngSize(bytes: Buffer): [number, number] | null {
  const isChunk = (at: number, type: string) => bytes.toString('latin1', at + 4, at + 8) === type;
  if (bytes.length < 33 || !isChunk(8, 'IHDR')) return null;
  let hasPixels = false;
  for (let at = 8; at + 12 <= bytes.length; ) {
    const end = at + 12 + bytes.readUInt32BE(at);
    if (end > bytes.length) return null;
    if (crc32(bytes.subarray(at + 4, end - 4)) !== bytes.readUInt32BE(end - 4)) return null;
    if (isChunk(at, 'IDAT')) hasPixels = true;
    if (isChunk(at, 'IEND')) return hasPixels ? [bytes.readUInt32BE(16), bytes.readUInt32BE(20)] : null;
    at = end;
  }
  return null;
}

/** JPEG (ITU T.81): segments up to the first scan, one of them with the size, then an end marker. */
function jpegSize(bytes: Buffer): [number, number] | null {
  let size: [number, number] | null = null;
  for (let at = 2; at + 4 <= bytes.length; ) {
    if (bytes[at] !== 0xff) return null;
    const marker = bytes[at + 1] ?? 0;
    if (marker === 0xff) {
      at += 1;
      continue;
    }
    // A start of frame, but for the tables DHT, JPG and DAC.
    if (marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)) {
      if (at + 9 > bytes.length) return null;
      size = [bytes.readUInt16BE(at + 7), bytes.readUInt16BE(at + 5)];
    }
    const end = at + 2 + bytes.readUInt16BE(at + 2);
    if (marker === 0xda) return bytes.indexOf(Buffer.from([0xff, 0xd9]), end) === -1 ? null : size;
    at = end;
  }
  return null;
}

/** GIF89a: the size of the screen; the trailer ends the file. */
function gifSize(bytes: Buffer): [number, number] | null {
  let last = bytes.length - 1;
  while (last > 13 && bytes[last] === 0) last -= 1;
  return last > 13 && bytes[last] === 0x3b ? [bytes.readUInt16LE(6), bytes.readUInt16LE(8)] : null;
}

/** WebP (RFC 9649): the container whole, then the size by the kind of its first chunk. */
function webpSize(bytes: Buffer): [number, number] | null {
  if (bytes.length < 30 || bytes.readUInt32LE(4) + 8 > bytes.length) return null;
  const kind = bytes.toString('latin1', 12, 16);
  if (kind === 'VP8 ') return [bytes.readUInt16LE(26) & 0x3fff, bytes.readUInt16LE(28) & 0x3fff];
  if (kind === 'VP8X') return [bytes.readUIntLE(24, 3) + 1, bytes.readUIntLE(27, 3) + 1];
  if (kind !== 'VP8L') return null;
  const packed = bytes.readUInt32LE(21);
  return [(packed & 0x3fff) + 1, ((packed >>> 14) & 0x3fff) + 1];
}
