/** Candidates from files, and from an outline with a stand-in for the database, keep one contract. */

import { describe, expect, it } from 'vitest';
import { RemoteCache } from '../../../../extensions/postgres/remote/cache.ts';
import { RemoteCandidates } from '../../../../extensions/postgres/remote/candidates.ts';
import { candidatesIn } from '../../../../index/candidates.ts';
import type { Directory } from '../../../../index/directory/directory.ts';
import { Reader } from '../../../../index/reader/reader.ts';
import { candidateIndexContract, toyIndex } from '../../../contracts/candidate-index.ts';
import { toyDocument, toyEmbedder } from '../../../index/toy.ts';
import { memorySource, outlineOf } from '../../../remote-source.ts';

const embedder = toyEmbedder();
const MEGABYTE = 2 ** 20;

async function remote(whole: Directory, cache = new RemoteCache(MEGABYTE), source = memorySource(whole)) {
  const reader = Reader.open(await outlineOf(whole), { embedder })!;
  return { reader, source, cache, candidatesOf: (own: Reader) => new RemoteCandidates(own, source, cache) };
}

describe('files', () => {
  candidateIndexContract(
    async (whole) => ({
      reader: Reader.open(whole, { embedder, vectors: 'exact' })!,
      candidatesOf: candidatesIn,
    }),
    { runs: 15 },
  );
});

describe('an outline', () => {
  candidateIndexContract(remote, { runs: 30 });
});

describe('an outline with hardly any cache', () => {
  candidateIndexContract((whole) => remote(whole, new RemoteCache(1_000)), { runs: 15 });
});

describe('round trips', () => {
  const documents = Array.from({ length: 20 }, (_, at) =>
    toyDocument(`d${at}`, at % 2 === 0 ? 'kiln clay' : 'wheel clay', ['kiln glaze', 'alpha beta'], {
      references: ['gamma delta'],
    }),
  );
  const query = async (text: string) => ({ text, language: null, vector: await embedder.embedQuery(text) });

  it('a search takes one for words and vectors, one for signals, and one for texts', async () => {
    const { reader, source, candidatesOf } = await remote(await toyIndex([documents]));
    const found = await candidatesOf(reader).find(await query('kiln clay'), 5, reader.accept([]));
    expect(source.trips()).toBe(2);
    await found.documents.readPassages!([...found.ordinals].map((ordinal) => ({ ordinal, at: 1 })));
    expect(source.trips()).toBe(3);
    expect(found.documents.passages.get(found.ordinals[0]!, 1).text).toContain('kiln glaze');
  });

  it('what is in the cache takes none: only vectors are searched again', async () => {
    const { reader, source, candidatesOf, cache } = await remote(await toyIndex([documents]));
    await candidatesOf(reader).find(await query('kiln clay'), 5, reader.accept([]));
    const before = source.trips();
    await candidatesOf(reader).find(await query('kiln clay'), 5, reader.accept([]));
    expect(source.trips()).toBe(before + 1);
    const words = { ...(await query('clay kiln')), vector: null };
    await candidatesOf(reader).find(words, 5, reader.accept([]));
    expect(source.trips()).toBe(before + 1);
    expect(cache.bytes).toBeGreaterThan(1_000);
    expect(cache.bytes).toBeLessThanOrEqual(MEGABYTE);
  });
});

describe('damage', () => {
  it('a page that fails its checksum is not used, and is read again', async () => {
    const whole = await toyIndex([[toyDocument('a', 'alpha kiln', ['kiln'])]]);
    let isBroken = true;
    const source = memorySource(whole, (bytes) => (isBroken ? bytes.map((byte) => byte ^ 1) : bytes));
    const { reader, candidatesOf } = await remote(whole, new RemoteCache(MEGABYTE), source);
    const query = { text: 'kiln', language: null, vector: null };
    const find = () => candidatesOf(reader).find(query, 5, reader.accept([]));
    await expect(find()).rejects.toMatchObject({ code: 'INDEX_DAMAGED' });
    isBroken = false;
    const { ordinals, documents } = await find();
    expect([...ordinals]).toEqual([0]);
    isBroken = true;
    await expect(documents.readPassages!([{ ordinal: 0, at: 0 }])).rejects.toMatchObject({
      code: 'INDEX_DAMAGED',
    });
  });
});

describe('an outline as a reader', () => {
  it('has keys, facets, payloads and summary vectors, and says that it has no words', async () => {
    const whole = await toyIndex([
      [toyDocument('a', 'alpha', ['one'], { facets: ['source:s'] }), toyDocument('b', 'beta')],
    ]);
    const files = Reader.open(whole, { embedder })!;
    await files.openVectors();
    const { reader } = await remote(whole);
    expect(reader.isOutline).toBe(true);
    expect(files.isOutline).toBe(false);
    expect([...reader.ordinalsByKey()].map((ordinal) => reader.key(ordinal))).toEqual(['a', 'b']);
    expect(reader.accept([['source:s']])).toEqual(files.accept([['source:s']]));
    expect(reader.payload(0)).toEqual(files.payload(0));
    reader.readVectors();
    expect(reader.documentVector(1)).toEqual(files.documentVector(1));
    expect(() => reader.lexical).toThrow(expect.objectContaining({ code: 'INDEX_OUTLINE' }));
    expect(() => reader.passages.get(0, 0)).toThrow(expect.objectContaining({ code: 'INDEX_OUTLINE' }));
  });
});
