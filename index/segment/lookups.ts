/** Writes the lookup of documents by name: their keys, and hashes of all strings that resolve to them. */

import { orderOfHashes } from '../lexical/postings/hash.ts';
import type { SectionWriter } from './sections.ts';

/** Keys in document order, concatenated as UTF-8, with offsets. */
export function writeKeys(sections: SectionWriter, keys: readonly string[]): void {
  const encoder = new TextEncoder();
  const parts = keys.map((key) => encoder.encode(key));
  const offsets = new Uint32Array(parts.length + 1);
  for (const [at, part] of parts.entries()) offsets[at + 1] = offsets[at]! + part.length;
  sections.put('keys.offsets', offsets);
  sections.put('keys', new Uint8Array(Buffer.concat(parts)));
}

/**
 * Sorted by hash, then by document, for the binary search of `SegmentReader.resolve`. `hashes` are the (high, low)
 * hashes of the aliases, `documents` the document of each, ascending.
 */
export function writeAliases(sections: SectionWriter, hashes: Uint32Array, documents: Uint32Array): void {
  const order = orderOfHashes(hashes);
  const sorted = new Uint32Array(hashes.length);
  order.forEach((alias, at) => {
    sorted[2 * at] = hashes[2 * alias]!;
    sorted[2 * at + 1] = hashes[2 * alias + 1]!;
  });
  sections.put('aliases.hashes', sorted);
  sections.put(
    'aliases.documents',
    order.map((alias) => documents[alias]!),
  );
}
