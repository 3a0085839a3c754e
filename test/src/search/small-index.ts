/** An in-memory index of a few documents, committed as one segment per list. */

import { memoryDirectory } from '../../../index/directory/memory.ts';
import type { IndexDocument } from '../../../index/passage.ts';
import { Reader } from '../../../index/reader/reader.ts';
import { SegmentWriter } from '../../../index/segment/writer.ts';
import { IndexWriter } from '../../../index/writer.ts';
import { toyEmbedder } from '../../index/toy.ts';

export async function indexOf(...segments: readonly (readonly IndexDocument[])[]): Promise<Reader> {
  const embedder = toyEmbedder();
  const directory = memoryDirectory();
  const making = { embedder, recipe: 'r' };
  for (const [at, documents] of segments.entries()) {
    const writer = await IndexWriter.open(directory, making, 0);
    const segment = new SegmentWriter(embedder, 'r');
    await segment.add(documents);
    writer.commit({ segments: [segment.finish(directory, `s${at}.segment`)], removed: [] });
    await writer.close();
  }
  const reader = Reader.open(directory, { embedder })!;
  await reader.openVectors();
  return reader;
}
