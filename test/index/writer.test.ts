import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Directory, readWhole, writeWhole } from '../../index/directory/directory.ts';
import { memoryDirectory } from '../../index/directory/memory.ts';
import type { FieldAverages } from '../../index/lexical/postings/bm25f.ts';
import { readManifest } from '../../index/manifest.ts';
import type { IndexDocument } from '../../index/passage.ts';
import { Reader } from '../../index/reader/reader.ts';
import { LEXICAL_COLUMNS } from '../../index/segment/format.ts';
import { mergeSegments } from '../../index/segment/merge.ts';
import { SegmentReader } from '../../index/segment/reader.ts';
import { SegmentWriter } from '../../index/segment/writer.ts';
import { IndexWriter } from '../../index/writer.ts';
import { examples } from '../thorough.ts';
import { toyDocument, toyEmbedder } from './toy.ts';

const embedder = toyEmbedder();
const making = { embedder, recipe: 'r1' };

let segments = 0;
async function segmentOf(
  directory: Directory,
  documents: readonly IndexDocument[],
  averages?: FieldAverages,
) {
  const writer = new SegmentWriter(embedder, 'r1');
  await writer.add(documents);
  segments += 1;
  return writer.finish(directory, `t-${segments}.segment`, averages);
}

async function commit(
  directory: Directory,
  documents: readonly IndexDocument[],
  removed: readonly string[] = [],
) {
  const writer = await IndexWriter.open(directory, making, 0);
  // A late segment uses the index's mean lengths, as in a run.
  const averages = writer.manifest?.averages ?? undefined;
  const added = documents.length > 0 ? [await segmentOf(directory, documents, averages)] : [];
  writer.commit({ segments: added, removed });
  await writer.close();
}

function open(directory: Directory): Reader {
  const reader = Reader.open(directory, { embedder });
  if (reader === null) throw new Error('There is no index.');
  return reader;
}

const keys = (reader: Reader) => Array.from(reader.ordinalsByKey(), (ordinal) => reader.key(ordinal));

const pdf = toyDocument('docs/pdf', 'Fill in PDF forms', ['Open the form and list its fields'], {
  aliases: ['skill://s/docs/pdf/SKILL.md', 'pdf'],
  facets: ['source:s', 'tag:office'],
  references: ['Field types of AcroForm'],
});
const csv = toyDocument('data/csv', 'Clean CSV files', ['Detect the delimiter', 'Trim every cell'], {
  aliases: ['csv'],
  facets: ['source:s'],
});
const sql = toyDocument('data/sql', 'Tune SQL queries', ['Read the query plan'], { facets: ['source:t'] });

describe('IndexWriter and Reader', () => {
  it('finds nothing to open before the first commit', () => {
    expect(Reader.open(memoryDirectory(), { embedder })).toBeNull();
  });

  it('returns documents, passages, payloads and aliases unchanged', async () => {
    const directory = memoryDirectory();
    await commit(directory, [pdf, csv]);
    const reader = open(directory);
    expect(keys(reader)).toEqual(['data/csv', 'docs/pdf']);
    expect(reader.resolve('pdf').map((ordinal) => reader.key(ordinal))).toEqual(['docs/pdf']);
    expect(reader.resolve('docs/pdf')).toEqual(reader.resolve('skill://s/docs/pdf/SKILL.md'));
    const [ordinal] = reader.resolve('pdf');
    expect(reader.payload(ordinal!)).toEqual(pdf.payload);
    expect(pdf.passages.map((_, at) => reader.passages.get(ordinal!, at))).toEqual(pdf.passages);
    expect(reader.passages.kinds(ordinal!)).toEqual(['card', 'body', 'reference']);
    expect([...reader.digests()]).toEqual([pdf, csv].map(({ key, digest }) => ({ key, digest })));
  });

  it('replaces a document with its newer version and drops removed ones, in both rankings', async () => {
    const directory = memoryDirectory();
    await commit(directory, [pdf, csv, sql]);
    const before = open(directory);
    await commit(directory, [toyDocument('data/csv', 'Turn tables into parquet')], ['data/sql']);
    const reader = open(directory);
    expect(keys(reader)).toEqual(['data/csv', 'docs/pdf']);
    expect(reader.documents).toBe(2);
    expect(
      reader.lexical.match(reader.lexical.prepare('delimiter plan'), 5, reader.accept([])).ordinals,
    ).toHaveLength(0);
    const [csvNow] = reader.resolve('data/csv');
    expect(reader.payload(csvNow!)).toEqual({ id: 'data/csv', description: 'Turn tables into parquet' });
    // The older snapshot still answers the same.
    expect(keys(before)).toEqual(['data/csv', 'data/sql', 'docs/pdf']);
    expect(before.payload(before.resolve('csv')[0]!)).toEqual(csv.payload);
  });

  it('increments the generation and keeps only the files of the newest', async () => {
    const directory = memoryDirectory();
    for (const document of [pdf, csv, sql]) await commit(directory, [document]);
    expect(readManifest(directory)?.generation).toBe(3);
    expect(directory.list().filter((name) => name.startsWith('manifest'))).toEqual(['manifest-3.json']);
    expect(directory.list().filter((name) => name.endsWith('.segment'))).toHaveLength(3);
  });

  it('drops a segment without living documents', async () => {
    const directory = memoryDirectory();
    await commit(directory, [pdf]);
    await commit(directory, [csv], ['docs/pdf']);
    expect(readManifest(directory)?.segments).toHaveLength(1);
  });

  it('ignores the leftovers of an interrupted run, and offers its finished segments to the next writer', async () => {
    const directory = memoryDirectory();
    await commit(directory, [pdf]);
    const finished = await segmentOf(directory, [csv]);
    writeWhole(directory, 'torn.segment', readWhole(directory, finished.name).subarray(0, 100));
    expect(keys(open(directory))).toEqual(['docs/pdf']);
    const writer = await IndexWriter.open(directory, making, 0);
    expect(writer.leftovers()).toEqual([finished]);
    writer.commit({ segments: writer.leftovers(), removed: [] });
    await writer.close();
    expect(keys(open(directory))).toEqual(['data/csv', 'docs/pdf']);
    expect(directory.list()).not.toContain('torn.segment');
  });

  it('rejects another model for reading, and starts a new index for writing with the reason', async () => {
    const directory = memoryDirectory();
    await commit(directory, [pdf]);
    const other = toyEmbedder('other');
    expect(() => Reader.open(directory, { embedder: other })).toThrow(
      expect.objectContaining({ code: 'INDEX_EMBEDDER', message: expect.stringContaining('toy') }),
    );
    const writer = await IndexWriter.open(directory, { embedder: other, recipe: 'r1' }, 0);
    expect(writer.manifest).toBeNull();
    expect(writer.restarted?.code).toBe('INDEX_EMBEDDER');
    await writer.release();
  });

  it('starts a new index if the recipe changed or a file is damaged, with the next generation number', async () => {
    const directory = memoryDirectory();
    await commit(directory, [pdf]);
    const name = directory.list().find((file) => file.endsWith('.segment'))!;
    const whole = readWhole(directory, name);
    writeWhole(directory, name, whole.subarray(0, whole.length - 1));
    expect(() => open(directory)).toThrow(expect.objectContaining({ code: 'INDEX_DAMAGED' }));
    await commit(directory, [csv]);
    expect(keys(open(directory))).toEqual(['data/csv']);
    expect(readManifest(directory)?.generation).toBe(2);
    const writer = await IndexWriter.open(directory, { embedder, recipe: 'r2' }, 0);
    expect(writer.restarted?.code).toBe('INDEX_FORMAT');
    await writer.release();
  });

  it('rejects a document without a card, a duplicate key, and an invalid digest', async () => {
    const add = (...documents: IndexDocument[]) => new SegmentWriter(embedder, 'r1').add(documents);
    await expect(add({ ...pdf, passages: pdf.passages.slice(1) })).rejects.toMatchObject({
      code: 'INDEX_INPUT',
    });
    await expect(add(pdf, pdf)).rejects.toMatchObject({ code: 'INDEX_INPUT' });
    await expect(add({ ...pdf, digest: 'abc' })).rejects.toMatchObject({ code: 'INDEX_INPUT' });
  });
});

describe('a reader that follows another', () => {
  it('answers like a newly opened one, reads shared segments once, and outlives the other', async () => {
    const directory = memoryDirectory();
    await commit(directory, [pdf, csv]);
    const first = open(directory);
    await first.openVectors();
    await commit(directory, [sql], ['data/csv']);
    const second = Reader.open(directory, { embedder }, first)!;
    // Closed twice, which must count as once.
    first.close();
    first.close();
    const fresh = open(directory);
    const query = await embedder.embedQuery('query plan of a form');
    const everyone = Uint32Array.of(0, 2);
    const answers = await Promise.all(
      [second, fresh].map(async (reader) => ({
        keys: keys(reader),
        near: (await reader.openVectors()).nearest(query, 3, reader.accept([])),
        words: reader.lexical.match(reader.lexical.prepare('query plan form'), 3, reader.accept([])),
        cosines: [
          reader.passages.cardCosines(query, everyone),
          reader.passages.bestBodyCosines(query, everyone),
        ],
        passage: reader.passages.get(0, 1),
      })),
    );
    expect(answers[0]).toEqual(answers[1]);
    expect(answers[0]!.keys).toEqual(['data/sql', 'docs/pdf']);
  });
});

describe('mergeSegments', () => {
  const words = 'alpha beta gamma delta epsilon zeta eta theta iota kappa'.split(' ');
  const sentence = fc
    .array(fc.constantFrom(...words), { minLength: 1, maxLength: 8 })
    .map((list) => list.join(' '));

  it('answers like one segment built from the living documents', async () => {
    const arbitrary = fc.array(fc.tuple(sentence, fc.array(sentence, { maxLength: 3 }), fc.boolean()), {
      minLength: 2,
      maxLength: 12,
    });
    await fc.assert(
      fc.asyncProperty(arbitrary, fc.nat(), async (rows, cut) => {
        const documents = rows.map(([description, body], at) => toyDocument(`k${at}`, description, body));
        const alive = documents.filter((_, at) => rows[at]![2]);
        fc.pre(alive.length > 0);
        const directory = memoryDirectory();
        const middle = 1 + (cut % (documents.length - 1));
        const parts = [];
        for (const part of [documents.slice(0, middle), documents.slice(middle)]) {
          const { name } = await segmentOf(directory, part);
          const dead = new Set(part.flatMap((document, at) => (alive.includes(document) ? [] : at)));
          parts.push({ segment: new SegmentReader(directory, name), dead });
        }
        mergeSegments(directory, 'merged.segment', parts);
        const { name } = await segmentOf(directory, alive);
        const merged = new SegmentReader(directory, 'merged.segment');
        const built = new SegmentReader(directory, name);
        for (const section of [
          ...LEXICAL_COLUMNS.map(([name]) => name),
          'vectors.documents',
          'vectors.passages',
          'fingerprints',
          'keys',
          'payloads',
          'passages',
        ])
          expect(merged.sections.uint8(section)).toEqual(built.sections.uint8(section));
      }),
      { numRuns: examples(40) },
    );
  });
});
