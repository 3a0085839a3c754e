/** Reading one file of a skill, or some of its lines. Only files that the skill's list holds can be read. */

import { quoted } from '../base/text.ts';
import { decodeText } from '../skills/decode.ts';
import { checkImage, describeOther, isLfsPointer } from '../skills/image.ts';
import { guessMimeType } from '../skills/media-types.ts';
import { fileSections } from '../skills/sections.ts';
import type { CatalogEntry } from '../sources/scan/entry.ts';
import type { LoadedFile, ReadRequest, ReadResult } from './gateway.ts';
import { GatewayError } from './gateway-error.ts';
import { anchorRange, sectionRange } from './load-skill.ts';
import { findReference } from './reference-path.ts';
import { gone, misspellings, NEAREST } from './resolve.ts';
import { demandParsable, readSkillFile, tooLarge } from './skill-files.ts';
import { sliceLines, splitLines } from './tokens.ts';

const DEFAULT_TOKENS = 4_000;
/** Size limit of an image, bytes: hosts drop messages beyond a few megabytes. */
const MAX_IMAGE_BYTES = 4 * 2 ** 20;
/** Bytes read to detect a binary file. */
const SNIFFED_BYTES = 4_096;
/** Share of control characters above which a file is binary. */
const BINARY_SHARE = 0.02;

/**
 * Throws `PATH_REFUSED`, `PATH_UNKNOWN`, `FILE_BINARY`, `FILE_TOO_LARGE`, `LINES_INVALID`, `SECTION_UNKNOWN`, or
 * `SKILL_GONE`. `files` are the skill's; the answer for any other path does not depend on whether such a file exists.
 */
export async function readReference(
  entry: CatalogEntry,
  request: Omit<ReadRequest, 'skill'>,
  files: readonly LoadedFile[],
): Promise<ReadResult> {
  const reference = findReference(entry, request.path, files);
  if ('refused' in reference)
    throw new GatewayError(
      'PATH_REFUSED',
      `The path ${quoted(request.path)} is refused: ${reference.refused}.`,
      {
        data: { path: request.path },
      },
    );
  if ('unknown' in reference) throw unknownPath(entry, reference.unknown, files);
  const { path } = reference;
  const bytes = await readSkillFile(entry, path, files);
  if (bytes === null) throw unknownPath(entry, path, files);
  const mimeType = guessMimeType(path);
  const image = readImage(entry, path, bytes, mimeType);
  if (image !== null) return image;
  if (isLfsPointer(bytes))
    throw notReadable(entry, path, bytes, 'is a Git LFS pointer: the file itself was not fetched');
  if (isBinary(bytes, mimeType))
    throw notReadable(entry, path, bytes, `is neither text nor an image (${mimeType})`);
  const part = request.lines === undefined && request.heading === undefined ? reference : request;
  return {
    kind: 'text',
    path,
    mimeType,
    slice: cutPart(path, bytes, { ...part, maxTokens: request.maxTokens }),
  };
}

/** Null for a file that neither is an image nor is called one. */
function readImage(
  entry: CatalogEntry,
  path: string,
  bytes: Uint8Array,
  mimeType: string,
): ReadResult | null {
  const image = checkImage(bytes);
  const isCalledImage = mimeType.startsWith('image/') && mimeType !== 'image/svg+xml';
  if (image === null && !isCalledImage) return null;
  if (image === null || !image.ok) {
    const what = image?.what ?? describeOther(bytes);
    throw notReadable(entry, path, bytes, `${what}; models accept whole PNG, JPEG, GIF and WebP images`);
  }
  if (bytes.length > MAX_IMAGE_BYTES) throw tooLarge(path, bytes.length, MAX_IMAGE_BYTES);
  return { kind: 'image', path, mimeType: image.mimeType, base64: Buffer.from(bytes).toString('base64') };
}

function notReadable(entry: CatalogEntry, path: string, bytes: Uint8Array, what: string): GatewayError {
  const message = `${path} ${what} (${bytes.length} bytes). Use it from the skill's folder: ${entry.folder}.`;
  return new GatewayError('FILE_BINARY', message, {
    data: { path, mimeType: guessMimeType(path), size: bytes.length, what },
  });
}

type Part = Pick<ReadRequest, 'lines' | 'heading' | 'maxTokens'> & { readonly anchor?: string };

function cutPart(path: string, bytes: Uint8Array, part: Part) {
  if (part.heading !== undefined || part.anchor !== undefined) demandParsable(path, bytes.length);
  const { text } = decodeText(bytes, path);
  const lines = splitLines(text);
  const [from, to] = findRange(lines.length, text, part);
  return sliceLines(lines, from, to, part.maxTokens ?? DEFAULT_TOKENS);
}

/** Detects binary content by its share of control characters, unless the media type is text. */
function isBinary(bytes: Uint8Array, mimeType: string): boolean {
  if (mimeType.startsWith('text/')) return false;
  const head = bytes.subarray(0, SNIFFED_BYTES);
  const utf16 = (head[0] === 0xff && head[1] === 0xfe) || (head[0] === 0xfe && head[1] === 0xff);
  const controls = head.filter(
    (byte) => byte < 0x20 && byte !== 0x09 && byte !== 0x0a && byte !== 0x0d,
  ).length;
  return !utf16 && controls > BINARY_SHARE * head.length;
}

function findRange(lineCount: number, text: string, { lines, heading, anchor }: Part): [number, number] {
  if (heading !== undefined) return sectionRange(fileSections(text), heading);
  if (anchor !== undefined) return anchorRange(fileSections(text), anchor);
  if (lines === undefined) return [1, lineCount];
  const [from, to] = lines;
  const whole = Number.isInteger(from) && Number.isInteger(to);
  if (!(whole && from >= 1 && from <= to && from <= lineCount))
    throw new GatewayError(
      'LINES_INVALID',
      `Lines ${from} to ${to} are not a range of the file, which has lines 1 to ${lineCount}.`,
      { data: { lineCount } },
    );
  return [from, Math.min(to, lineCount)];
}

function unknownPath(entry: CatalogEntry, path: string, files: readonly LoadedFile[]): GatewayError {
  if (files.length === 0) return gone(entry, 'its folder or its skill file no longer exists');
  // Callers often give a folder, or a file name without its folder.
  const paths = files.map((file) => file.path);
  const meant = paths.filter((own) => own.startsWith(`${path}/`) || own.endsWith(`/${path}`));
  const alike = misspellings(path.toLowerCase(), paths, (known) => known.toLowerCase());
  const nearest = [...new Set([...meant, ...alike])].slice(0, NEAREST);
  const advice = nearest.length > 0 ? ` The nearest are ${nearest.join(', ')}.` : '';
  return new GatewayError('PATH_UNKNOWN', `The skill ${entry.id} has no file ${quoted(path)}.${advice}`, {
    data: { path, nearest },
  });
}
