/** An in-memory index of a few documents, committed as one segment per list. */

import { type IndexDocument, IndexWriter, memoryDirectory, Reader, SegmentWriter } from '#index';
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
