/** Reading one file of a skill, or some lines of it. Nothing outside the skill's folder can be reached. */

import { posix } from 'node:path';
import type { CatalogEntry } from '../catalog/entry.ts';
import { containedPath, spellingFault } from '../skills/containment.ts';
import { decodeText } from '../skills/decode.ts';
import { mimeTypeOf } from '../skills/media-types.ts';
import { sectionsOf } from '../skills/sections.ts';
import { GatewayError, type LoadedFile, type ReadRequest, type ReadResult } from './gateway.ts';
import { sectionRange } from './load-skill.ts';
import { closest, gone, NEAREST, quoted } from './resolve.ts';
import { readSkillFile, tooLarge } from './skill-file.ts';
import { linesOf, sliceLines } from './tokens.ts';

const DEFAULT_TOKENS = 4_000;
/** Larger images are refused, bytes: hosts drop messages beyond a few megabytes. */
const MAX_IMAGE_BYTES = 4 * 2 ** 20;
/** Bytes looked at to tell a binary file. */
const SNIFFED_BYTES = 4_096;
/** Share of control characters above which a file is binary. */
const BINARY_SHARE = 0.02;

export interface FileRights {
  /**
   * Only what is listed as the skill's may be read: a folder inside may be another skill's, which the caller need not
   * be allowed to see.
   */
  readonly listedFilesOnly?: boolean;
}

/**
 * Throws `PATH_REFUSED`, `PATH_UNKNOWN`, `FILE_BINARY`, `FILE_TOO_LARGE`, `LINES_INVALID`, `SECTION_UNKNOWN`, or
 * `SKILL_GONE`. `files` lists what the folder holds.
 */
export async function readReference(
  entry: CatalogEntry,
  request: Omit<ReadRequest, 'skill'>,
  files: readonly LoadedFile[],
  { listedFilesOnly = false }: FileRights = {},
): Promise<ReadResult> {
  const path = ownPath(entry, request.path);
  const plain = posix.normalize(path);
  // Before the disk is asked: what it says of such a path must not be told either.
  if (listedFilesOnly && spellingFault(path) === null && !files.some((file) => file.path === plain))
    throw unknownPath(entry, plain, files);
  const place = await containedPath(entry.folder, path);
  if (!place.ok)
    throw new GatewayError('PATH_REFUSED', `The path ${quoted(request.path)} is refused: ${place.reason}.`, {
      path: request.path,
    });
  const bytes = await readSkillFile(place.absolute);
  if (bytes === null) throw unknownPath(entry, place.path, files);
  const mimeType = mimeTypeOf(place.path);
  if (mimeType.startsWith('image/') && mimeType !== 'image/svg+xml') {
    if (bytes.length > MAX_IMAGE_BYTES) throw tooLarge(place.path, bytes.length, MAX_IMAGE_BYTES);
    return { kind: 'image', path: place.path, mimeType, base64: Buffer.from(bytes).toString('base64') };
  }
  if (isBinary(bytes, mimeType))
    throw new GatewayError(
      'FILE_BINARY',
      `${place.path} is neither text nor an image (${mimeType}, ${bytes.length} bytes). Use it from the skill's folder: ${entry.folder}.`,
      { path: place.path, mimeType, size: bytes.length },
    );
  const { text } = decodeText(bytes, place.path);
  const lines = linesOf(text);
  const [from, to] = rangeOf(lines.length, text, request);
  return {
    kind: 'text',
    path: place.path,
    mimeType,
    slice: sliceLines(lines, from, to, request.maxTokens ?? DEFAULT_TOKENS),
  };
}

/** A resource URI of the skill's own is as good as the path it names. */
function ownPath(entry: CatalogEntry, path: string): string {
  const base = entry.uri.replace(/[^/]*$/, '');
  if (!path.startsWith(base)) return path;
  try {
    return decodeURIComponent(path.slice(base.length));
  } catch {
    return path;
  }
}

/** By content where the name says nothing: control characters that no text has, beyond a stray one. */
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
      `Lines ${from} to ${to} are no range of the file, which has lines 1 to ${lineCount}.`,
      { lineCount },
    );
  return [from, Math.min(to, lineCount)];
}

function unknownPath(entry: CatalogEntry, path: string, files: readonly LoadedFile[]): GatewayError {
  if (files.length === 0) return gone(entry, 'its folder or its skill file is not there any more');
  // A folder, or a file's name without its folder, is what callers mostly ask for by mistake.
  const paths = files.map((file) => file.path);
  const meant = paths.filter((own) => own.startsWith(`${path}/`) || own.endsWith(`/${path}`));
  const alike = closest(path.toLowerCase(), paths, (own) => own.toLowerCase()).map(({ item }) => item);
  const nearest = [...new Set([...meant, ...alike])].slice(0, NEAREST);
  return new GatewayError(
    'PATH_UNKNOWN',
    `The skill ${entry.id} has no file ${quoted(path)}. The nearest are ${nearest.join(', ')}.`,
    { path, nearest },
  );
}
