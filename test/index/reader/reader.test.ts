import { describe, expect, it } from 'vitest';
import type { Directory } from '../../../index/directory/directory.ts';
import { memoryDirectory } from '../../../index/directory/memory.ts';
import type { IndexDocument } from '../../../index/passage.ts';
import { Reader } from '../../../index/reader/reader.ts';
import { SegmentWriter } from '../../../index/segment/writer.ts';
import { IndexWriter } from '../../../index/writer.ts';
import { toyDocument, toyEmbedder } from '../toy.ts';

const embedder = toyEmbedder();
const making = { embedder, recipe: 'r' };

/** One commit per step: documents of a new segment, and removed keys. */
async function reader(...steps: { add?: IndexDocument[]; remove?: string[] }[]): Promise<Reader> {
  const directory = memoryDirectory();
  for (const [at, { add = [], remove = [] }] of steps.entries()) await commit(directory, at, add, remove);
  return Reader.open(directory, { embedder })!;
}

async function commit(directory: Directory, at: number, add: IndexDocument[], removed: string[]) {
  const writer = await IndexWriter.open(directory, making, 0);
  const segment = new SegmentWriter(embedder, 'r');
  await segment.add(add);
  const segments = add.length > 0 ? [segment.finish(directory, `${at}.segment`)] : [];
  writer.commit({ segments, removed });
  await writer.close();
}

const at = (index: Reader, key: string) => index.resolve(key)[0]!;
const a = toyDocument('a', 'First', ['One', 'Two'], {
  facets: ['source:x', 'tag:red'],
  references: ['More', 'Yet more'],
});
const b = toyDocument('b', 'Second', ['Three'], { facets: ['source:x', 'tag:blue', 'tagged:no'] });
const c = toyDocument('c', 'Third', [], { facets: ['source:y', 'tag:red'] });

describe('Reader', () => {
  it('returns the last headings of body passages, in order, without duplicates, and none of references', async () => {
    const twice = toyDocument('twice', 'Repeats', ['One', 'Two', 'Three']);
    const passages = twice.passages.map((passage, place) =>
      place === 3 ? { ...passage, heading: ['Part 9', 'Part 2'] } : passage,
    );
    const index = await reader({ add: [a, c, { ...twice, passages }] });
    expect(index.passages.headings(at(index, 'a'))).toEqual(['Part 2', 'Part 3']);
    expect(index.passages.headings(at(index, 'c'))).toEqual([]);
    expect(index.passages.headings(at(index, 'twice'))).toEqual(['Part 2', 'Part 3']);
  });

  it('counts living documents by value for facets with a prefix, over all segments', async () => {
    const index = await reader({ add: [a, b] }, { add: [c] });
    expect(index.facetCounts('tag:')).toEqual([
      { value: 'blue', documents: 1 },
      { value: 'red', documents: 2 },
    ]);
    const later = await reader({ add: [a, b] }, { add: [c], remove: ['a', 'b'] });
    expect(later.facetCounts('tag:')).toEqual([{ value: 'red', documents: 1 }]);
    expect(later.facetCounts('source:')).toEqual([{ value: 'y', documents: 1 }]);
    expect(later.facetCounts('none:')).toEqual([]);
  });

  it('counts reference passages', async () => {
    const index = await reader({ add: [a, b] });
    expect([
      index.passages.referenceCount(at(index, 'a')),
      index.passages.referenceCount(at(index, 'b')),
    ]).toEqual([2, 0]);
  });

  it('returns a summary vector of unit length that is nearest to its own card and body', async () => {
    const index = await reader({ add: [a, b] }, { add: [c] });
    await index.openVectors();
    for (const [key, words] of [
      ['a', 'a first one two'],
      ['b', 'b second three'],
      ['c', 'c third'],
    ] as const) {
      const vector = index.documentVector(at(index, key));
      expect(Math.hypot(...vector)).toBeCloseTo(1, 2);
      const query = await embedder.embedQuery(words);
      const cosines = ['a', 'b', 'c'].map((other) =>
        index.documentVector(at(index, other)).reduce((sum, value, row) => sum + value * query[row]!, 0),
      );
      expect(['a', 'b', 'c'][cosines.indexOf(Math.max(...cosines))]).toBe(key);
    }
  });

  it('returns the cosine of each passage, in order, from any segment', async () => {
    const index = await reader({ add: [a] }, { add: [b, c] });
    await index.openVectors();
    for (const document of [a, b, c]) {
      const ordinal = at(index, document.key);
      document.passages.forEach(({ kind, path, lines, text }, place) => {
        expect(index.passages.get(ordinal, place)).toMatchObject({ kind, path, lines, text });
      });
      const query = await embedder.embedQuery('third b');
      const cosines = index.passages.cosines(query, ordinal);
      expect(cosines).toHaveLength(document.passages.length);
      for (const cosine of cosines) expect(Math.abs(cosine)).toBeLessThanOrEqual(1.01);
    }
  });

  it('requires openVectors before vector searches', async () => {
    const index = await reader({ add: [a] });
    expect(() => index.documentVector(0)).toThrow('Call openVectors() before');
  });

  it('accepts any facet within a group, requires all groups, and never accepts dead documents', async () => {
    const index = await reader({ add: [a, b] }, { add: [c], remove: ['b'] });
    const accepted = (groups: string[][]) =>
      Array.from(index.ordinalsByKey())
        .filter((ordinal) => index.accept(groups)[ordinal] === 1)
        .map((ordinal) => index.key(ordinal));
    expect(accepted([])).toEqual(['a', 'c']);
    expect(accepted([['tag:red']])).toEqual(['a', 'c']);
    expect(accepted([['tag:blue']])).toEqual([]);
    expect(accepted([['source:y', 'source:x'], ['tag:red']])).toEqual(['a', 'c']);
    expect(accepted([['source:y'], ['tag:red']])).toEqual(['c']);
    expect(index.documentsIn(index.accept([]))).toBe(2);
    expect(index.documentsIn(index.accept([['tag:blue']]))).toBe(0);
    expect(index.documentsIn(index.accept([['tag:red'], ['source:y']]))).toBe(1);
  });
});
