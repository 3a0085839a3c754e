import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { missingDocuments, parseDataset, readDataset, renamed } from '../../../extensions/eval/dataset.ts';

const FILES = { name: 'set', queries: 'queries.jsonl', qrels: 'qrels.tsv' };
const HEADER = 'query-id\tcorpus-id\tscore\n';
const parse = (queries: string, qrels = HEADER) => parseDataset(FILES, queries, qrels);

describe('parseDataset', () => {
  it('reads queries with their labels and the grades of each', () => {
    const dataset = parse(
      [
        '{"_id": "q1", "text": "rotate a certificate", "style": "agent", "names_skill": false}',
        '{"_id": "q2", "text": "plan a launch", "parts": 2, "source": "ignored"}',
      ].join('\n'),
      `${HEADER}q1\ttls/rotate certs\t3\nq1\ttls/inspect\t1\nq2\tlaunch\t0\n`,
    );
    expect(dataset.queries).toEqual([
      { id: 'q1', text: 'rotate a certificate', style: 'agent', namesSkill: false },
      { id: 'q2', text: 'plan a launch', parts: 2 },
    ]);
    expect(dataset.qrels.get('q1')).toEqual(
      new Map([
        ['tls/rotate certs', 3],
        ['tls/inspect', 1],
      ]),
    );
    expect(dataset.notes).toEqual([]);
  });

  it('takes byte-order marks, CRLF, blank lines, a missing header, and `id` or a number for `_id`', () => {
    const dataset = parse(
      '\uFEFF{"id": "a", "text": "one"}\r\n\r\n{"_id": 7, "text": "two"}\r\n',
      '\uFEFFa\tx\t1\r\n\r\n7\ty\t2\r\n',
    );
    expect(dataset.queries.map((query) => query.id)).toEqual(['a', '7']);
    expect([...dataset.qrels.keys()]).toEqual(['a', '7']);
  });

  it('leaves out queries without text and judgements without a query, with notes', () => {
    const dataset = parse(
      '{"_id": "q1", "text": "  "}\n{"_id": "q2", "text": "two"}',
      `${HEADER}q1\ta\t1\nq9\tb\t1\n`,
    );
    expect(dataset.queries.map((query) => query.id)).toEqual(['q2']);
    expect(dataset.notes).toEqual([
      '1 of 2 queries have no text yet and were left out.',
      'Judgements of queries that are not in the queries file were left out: q9.',
    ]);
  });

  it.each([
    ['broken JSON', '{"_id": "q1", "text": "x"}\n\n{"_id": ', HEADER, 'queries.jsonl:3: not JSON'],
    ['a missing id', '{"text": "x"}', HEADER, 'queries.jsonl:1: the field "_id" is missing'],
    ['a missing text', '{"_id": "q1"}', HEADER, 'queries.jsonl:1: '],
    [
      'an id used twice',
      '{"_id": "q", "text": "x"}\n{"_id": "q", "text": "y"}',
      HEADER,
      'queries.jsonl:2: the id "q" was already used on line 1',
    ],
    [
      'spaces for tabs',
      '',
      `${HEADER}q1 a 1`,
      'qrels.tsv:2: expected query-id, corpus-id and score between tabs',
    ],
    ['a score that is no number', '', `${HEADER}q1\ta\thigh`, 'qrels.tsv:2: the score is a whole number'],
    ['a missing score', '', `${HEADER}q1\ta\t`, 'qrels.tsv:2: the score is a whole number'],
    ['two grades for one pair', '', `${HEADER}q1\ta\t1\nq1\ta\t2`, 'qrels.tsv:3: "a" was already judged 1'],
  ])('refuses %s with file and line', (_fault, queries, qrels, message) => {
    expect(() => parse(queries, qrels)).toThrow(
      expect.objectContaining({ code: 'DATASET_INVALID', message: expect.stringContaining(message) }),
    );
  });

  it('round-trips any text', () => {
    const text = fc.string({ unit: 'grapheme', minLength: 1 }).filter((value) => value.trim() !== '');
    const row = fc.record({ text, grade: fc.integer({ min: -1, max: 30 }) });
    fc.assert(
      fc.property(fc.array(row), (rows) => {
        const queries = rows.map((value, index) => JSON.stringify({ _id: `q${index}`, text: value.text }));
        const qrels = rows.map((value, index) => `q${index}\td${index}\t${value.grade}`);
        const dataset = parse(queries.join('\n'), HEADER + qrels.join('\n'));
        expect(dataset.queries.map((query) => query.text)).toEqual(rows.map((value) => value.text));
        expect(rows.map((_, index) => dataset.qrels.get(`q${index}`)?.get(`d${index}`))).toEqual(
          rows.map((value) => value.grade),
        );
      }),
    );
  });
});

describe('missingDocuments', () => {
  it('names relevant documents that the corpus lacks, each once, and not those that no query needs', () => {
    const dataset = parse(
      '{"_id": "q1", "text": "x"}\n{"_id": "q2", "text": "y"}\n{"_id": "q3", "text": ""}',
      `${HEADER}q1\tgone\t2\nq2\tgone\t1\nq1\there\t3\nq2\tunwanted\t0\nq3\tunasked\t1\nq2\talso gone\t1\n`,
    );
    expect(missingDocuments(dataset, (id) => id === 'here')).toEqual(['also gone', 'gone']);
  });
});

describe('renamed', () => {
  it('follows the documents to their ids, and takes the higher grade of one document named twice', () => {
    const dataset = parse('{"_id": "q1", "text": "x"}', `${HEADER}q1\tmail\t1\nq1\ta/mail\t3\nq1\tb\t0\n`);
    const { qrels } = renamed(dataset, (name) => (name === 'mail' ? 'a/mail' : name));
    expect(qrels.get('q1')).toEqual(
      new Map([
        ['a/mail', 3],
        ['b', 0],
      ]),
    );
  });
});

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'skillgate-beir-'));
});
afterEach(() => rm(folder, { recursive: true }));

describe('readDataset', () => {
  it('reads the two files', async () => {
    const files = { name: 'set', queries: join(folder, 'q.jsonl'), qrels: join(folder, 'qrels.tsv') };
    await writeFile(files.queries, '{"_id": "q1", "text": "x"}\n');
    await writeFile(files.qrels, `${HEADER}q1\ta\t1\n`);
    const dataset = await readDataset(files);
    expect(dataset.queries).toHaveLength(1);
    expect(dataset.qrels.get('q1')?.get('a')).toBe(1);
  });

  it('names the file that it cannot open', async () => {
    const missing = join(folder, 'none.jsonl');
    await expect(readDataset({ name: 'set', queries: missing, qrels: missing })).rejects.toMatchObject({
      code: 'DATASET_UNREADABLE',
      data: { file: missing },
    });
  });
});
