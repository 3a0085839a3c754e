/** A file's media type, from its path alone. Separate from `files.ts`, so that a search does not load these tables. */

import { Mime } from 'mime';
import otherTypes from 'mime/types/other.js';
import standardTypes from 'mime/types/standard.js';
import { extensionOf, isKnownText, MARKDOWN } from './files.ts';

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
export function mimeTypeOf(path: string): string {
  // Without a slash, `mime` takes a name such as `go` for an extension.
  const known = types.getType(`/${path}`);
  if (known !== null) return known;
  const extension = extensionOf(path);
  return extension === '' || isKnownText(extension) ? 'text/plain' : 'application/octet-stream';
}
