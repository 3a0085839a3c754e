/** A file's media type, from its path, and from its bytes where they are at hand. Separate from `files.ts`, so that a search does not load these tables. */

import { Mime } from 'mime';
import otherTypes from 'mime/types/other.js';
import standardTypes from 'mime/types/standard.js';
import { fileExtension, isKnownText, MARKDOWN } from './files.ts';
import { checkImage } from './image.ts';

/** Types that `mime` lacks or defines differently (`.ts` as video). */
const OWN_TYPES = {
  'text/typescript': ['ts', 'mts', 'cts', 'tsx'],
  'text/x-python': ['py', 'pyw'],
  'text/x-ruby': ['rb'],
  'text/x-go': ['go'],
  'text/x-rust': ['rs'],
  'text/markdown': [...MARKDOWN],
};

const types = new Mime(standardTypes, otherTypes).define(OWN_TYPES, true);

/** `text/plain` for other text files, `application/octet-stream` for unknown ones. */
export function guessMimeType(path: string): string {
  // Without a slash, `mime` takes a name such as `go` for an extension.
  const known = types.getType(`/${path}`);
  if (known !== null) return known;
  const extension = fileExtension(path);
  return extension === '' || isKnownText(extension) ? 'text/plain' : 'application/octet-stream';
}

/** The type of these bytes: a client takes what is called an image for one. */
export function mediaTypeFrom(bytes: Uint8Array, path: string): string {
  const image = checkImage(bytes);
  if (image?.ok) return image.mimeType;
  const named = guessMimeType(path);
  if (!named.startsWith('image/') || named === 'image/svg+xml') return named;
  return image === null && !bytes.includes(0) ? 'text/plain' : 'application/octet-stream';
}
