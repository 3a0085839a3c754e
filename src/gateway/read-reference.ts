/** Reading one file of a skill, or some of its lines. Only files that the skill's list holds can be read. */

import { containedPath } from '../skills/containment.ts';
import { decodeText } from '../skills/decode.ts';
import { mimeTypeOf } from '../skills/media-types.ts';
import { sectionsOf } from '../skills/sections.ts';
import type { CatalogEntry } from '../sources/scan/entry.ts';
import type { LoadedFile, ReadRequest, ReadResult } from './gateway.ts';
import { GatewayError } from './gateway-error.ts';
import { sectionRange } from './load-skill.ts';
import { closest, gone, NEAREST, near, quoted } from './resolve.ts';
import { demandParsable, readSkillFile, tooLarge } from './skill-files.ts';
import { linesOf, sliceLines } from './tokens.ts';

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
  const found = containedPath(ownPath(entry, request.path));
  if (!found.ok)
    throw new GatewayError('PATH_REFUSED', `The path ${quoted(request.path)} is refused: ${found.reason}.`, {
      data: { path: request.path },
    });
  const bytes = await readSkillFile(entry, found.path, files);
  if (bytes === null) throw unknownPath(entry, found.path, files);
  const mimeType = mimeTypeOf(found.path);
  if (mimeType.startsWith('image/') && mimeType !== 'image/svg+xml') {
    if (bytes.length > MAX_IMAGE_BYTES) throw tooLarge(found.path, bytes.length, MAX_IMAGE_BYTES);
    return { kind: 'image', path: found.path, mimeType, base64: Buffer.from(bytes).toString('base64') };
  }
  if (isBinary(bytes, mimeType))
    throw new GatewayError(
      'FILE_BINARY',
      `${found.path} is neither text nor an image (${mimeType}, ${bytes.length} bytes). Use it from the skill's folder: ${entry.folder}.`,
      { data: { path: found.path, mimeType, size: bytes.length } },
    );
  if (request.heading !== undefined) demandParsable(found.path, bytes.length);
  const { text } = decodeText(bytes, found.path);
  const lines = linesOf(text);
  const [from, to] = rangeOf(lines.length, text, request);
  return {
    kind: 'text',
    path: found.path,
    mimeType,
    slice: sliceLines(lines, from, to, request.maxTokens ?? DEFAULT_TOKENS),
  };
}

/** A path, or a resource URI of this skill, as a path. */
function ownPath(entry: CatalogEntry, path: string): string {
  const base = entry.uri.replace(/[^/]*$/, '');
  if (!path.startsWith(base)) return path;
  try {
    return decodeURIComponent(path.slice(base.length));
  } catch {
    return path;
  }
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

function rangeOf(
  lineCount: number,
  text: string,
  { lines, heading }: Omit<ReadRequest, 'skill'>,
): [number, number] {
  if (heading !== undefined) return sectionRange(sectionsOf(text, 1), heading);
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
  const alike = near(
    path.toLowerCase(),
    closest(path.toLowerCase(), paths, (own) => own.toLowerCase()),
  );
  const nearest = [...new Set([...meant, ...alike])].slice(0, NEAREST);
  const advice = nearest.length > 0 ? ` The nearest are ${nearest.join(', ')}.` : '';
  return new GatewayError('PATH_UNKNOWN', `The skill ${entry.id} has no file ${quoted(path)}.${advice}`, {
    data: { path, nearest },
  });
}
