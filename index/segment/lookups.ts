/** How documents are found by name: their keys, and the hashes of all strings that resolve to them. */

import type { SectionWriter } from './sections.ts';

/** A string's hash and the document that it finds. */
export type Alias = readonly [high: number, low: number, document: number];

/** Keys in order of the documents, as one run of UTF-8 with offsets. */
export function writeKeys(sections: SectionWriter, keys: readonly string[]): void {
  const encoder = new TextEncoder();
  const parts = keys.map((key) => encoder.encode(key));
  const offsets = new Uint32Array(parts.length + 1);
  for (const [at, part] of parts.entries()) offsets[at + 1] = offsets[at]! + part.length;
  sections.put('keys.offsets', offsets);
  sections.put('keys', new Uint8Array(Buffer.concat(parts)));
}

/** Sorted by hash, then by document, for the binary search of `SegmentReader.resolve`. */
export function writeAliases(sections: SectionWriter, aliases: readonly Alias[]): void {
  const sorted = aliases.toSorted((a, b) => a[0] - b[0] || a[1] - b[1] || a[2] - b[2]);
  const hashes = new Uint32Array(sorted.length * 2);
  for (const [at, [high, low]] of sorted.entries()) hashes.set([high, low], at * 2);
  sections.put('aliases.hashes', hashes);
  sections.put(
    'aliases.documents',
    Uint32Array.from(sorted, ([, , document]) => document),
  );
}
