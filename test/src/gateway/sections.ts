/** The sections of an index file, for tests that damage one. */

import { type Directory, readWhole, writeWhole } from '../../../index/directory/directory.ts';
import { SegmentReader } from '../../../index/segment/reader.ts';

/** The sections that are not empty, with their offsets, from the table of contents. */
export function sectionsOf(directory: Directory, name: string) {
  new SegmentReader(directory, name).close();
  const bytes = readWhole(directory, name);
  const length = new DataView(bytes.buffer).getUint32(bytes.length - 16, true);
  const json = new TextDecoder().decode(bytes.subarray(bytes.length - 16 - length, bytes.length - 16));
  const { sections }: { sections: Record<string, { offset: number; bytes: number }> } = JSON.parse(json);
  return Object.entries(sections)
    .filter(([, { bytes: size }]) => size > 0)
    .map(([section, place]) => ({ section, ...place }));
}

/** Inverts one byte in the middle of a section. */
export function damage(directory: Directory, name: string, wanted: string): void {
  const { offset, bytes } = sectionsOf(directory, name).find(({ section }) => section === wanted)!;
  const whole = readWhole(directory, name).slice();
  whole[offset + Math.floor(bytes / 2)]! ^= 0xff;
  writeWhole(directory, name, whole);
}
