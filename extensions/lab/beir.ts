/**
 * Reads a test collection from files in the BEIR layout (Thakur et al., NeurIPS 2021). Accepts harmless deviations, and
 * reports all others with file and line.
 */

import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import * as z from 'zod';
import { messageOf } from '../../src/base/errors.ts';
import { type Dataset, EvaluationError, type Query } from './dataset.ts';

/** A row of `queries.jsonl`. Ignores other fields. Some collections write `id` instead of `_id`. */
const queryRow = z.object({
  _id: z.union([z.string().min(1), z.number()]).optional(),
  id: z.union([z.string().min(1), z.number()]).optional(),
  text: z.string(),
  style: z.string().min(1).optional(),
  names_skill: z.boolean().optional(),
  parts: z.int().min(1).optional(),
});

/** 2^30 leaves room for sums in nDCG; no scale in use goes beyond 10. */
const HIGHEST_GRADE = 30;

/**
 * Reads `queries.jsonl` {_id, text, style?, names_skill?, parts?} and `qrels.tsv` (query-id, corpus-id,
 * score; tab-separated, with an optional header line). Accepts a byte-order mark, CRLF and blank lines. Leaves out
 * queries without text and adds a note, so that a half-filled template can be measured.
 * Throws `DATASET_UNREADABLE` and `DATASET_INVALID`.
 */
export async function readDataset(files: {
  readonly name: string;
  readonly queries: string;
  readonly qrels: string;
}): Promise<Dataset> {
  const [queriesText, qrelsText] = await Promise.all([readText(files.queries), readText(files.qrels)]);
  return parseDataset(files, queriesText, qrelsText);
}

/**
 * Reads the dataset in a folder and names it after the folder: `queries.jsonl` and `qrels.tsv`, else the BEIR split
 * `qrels/test.tsv`. With a split, keeps only the queries that it judges, since the others belong to another split.
 * Throws like `readDataset`.
 */
export async function readDatasetFolder(folder: string): Promise<Dataset> {
  const name = basename(resolve(folder));
  const queries = join(folder, 'queries.jsonl');
  const qrels = join(folder, 'qrels.tsv');
  const split = join(folder, 'qrels', 'test.tsv');
  if (existsSync(qrels)) return readDataset({ name, queries, qrels });
  if (!existsSync(split))
    throw new EvaluationError('DATASET_UNREADABLE', `${folder} has neither qrels.tsv nor qrels/test.tsv.`, {
      data: { file: qrels },
    });
  const dataset = await readDataset({ name, queries, qrels: split });
  return { ...dataset, queries: dataset.queries.filter(({ id }) => dataset.qrels.has(id)) };
}

/** Like `readDataset`, from texts. `files` names them in messages. */
export function parseDataset(
  files: { readonly name: string; readonly queries: string; readonly qrels: string },
  queriesText: string,
  qrelsText: string,
): Dataset {
  const all = parseQueries(queriesText, files.queries);
  const qrels = parseQrels(qrelsText, files.qrels);
  const queries = all.filter((query) => query.text.trim() !== '');
  const ids = new Set(all.map((query) => query.id));
  const unknown = [...qrels.keys()].filter((id) => !ids.has(id));
  const notes: string[] = [];
  if (queries.length < all.length) {
    notes.push(`${all.length - queries.length} of ${all.length} queries have no text yet and were left out.`);
  }
  if (unknown.length > 0) {
    notes.push(`Judgements of queries that are not in the queries file were left out: ${sample(unknown)}.`);
  }
  return { name: files.name, queries, qrels, notes };
}

async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (cause) {
    throw new EvaluationError('DATASET_UNREADABLE', `Cannot read ${file}: ${messageOf(cause)}`, {
      data: { file },
      cause,
    });
  }
}

function parseQueries(text: string, file: string): Query[] {
  const lineOfId = new Map<string, number>();
  return [...lines(text)].map(([content, line]) => {
    const row = queryRow.safeParse(parseJson(content, file, line));
    if (!row.success) throw invalid(file, line, z.prettifyError(row.error).replaceAll('\n', ' '));
    const { _id, id = _id, text: words, style, names_skill, parts } = row.data;
    if (id === undefined) throw invalid(file, line, 'the field "_id" is missing');
    const key = String(_id ?? id);
    const earlier = lineOfId.get(key);
    if (earlier !== undefined)
      throw invalid(file, line, `the id "${key}" was already used on line ${earlier}`);
    lineOfId.set(key, line);
    return {
      id: key,
      text: words,
      style,
      namesSkill: names_skill,
      parts,
    };
  });
}

function parseQrels(text: string, file: string): Map<string, Map<string, number>> {
  const qrels = new Map<string, Map<string, number>>();
  let first = true;
  for (const [content, line] of lines(text)) {
    const fields = content.split('\t').map((field) => field.trim());
    const [queryId = '', documentId = '', score = ''] = fields;
    const header = first && fields.length === 3 && !/\d/.test(score);
    first = false;
    if (header) continue;
    if (fields.length !== 3 || queryId === '' || documentId === '') {
      throw invalid(
        file,
        line,
        `expected query-id, corpus-id and score between tabs; found ${fields.length} field(s)`,
      );
    }
    const grade = Number(score);
    if (score === '' || !Number.isInteger(grade) || grade > HIGHEST_GRADE) {
      throw invalid(
        file,
        line,
        `the score is a whole number up to ${HIGHEST_GRADE}; found ${JSON.stringify(score)}`,
      );
    }
    const grades = qrels.get(queryId) ?? new Map<string, number>();
    qrels.set(queryId, grades);
    const known = grades.get(documentId);
    if (known !== undefined && known !== grade) {
      throw invalid(file, line, `"${documentId}" was already judged ${known} for query "${queryId}"`);
    }
    grades.set(documentId, grade);
  }
  return qrels;
}

/** The non-blank lines with their 1-based numbers. */
function* lines(text: string): Generator<[content: string, line: number]> {
  let line = 0;
  for (const content of text.replace(/^\uFEFF/, '').split(/\r\n|\n|\r/)) {
    line++;
    if (content.trim() !== '') yield [content, line];
  }
}

function parseJson(content: string, file: string, line: number): unknown {
  try {
    return JSON.parse(content);
  } catch (cause) {
    throw invalid(file, line, `not JSON (${messageOf(cause)})`);
  }
}

function invalid(file: string, line: number, fault: string): EvaluationError {
  return new EvaluationError('DATASET_INVALID', `${file}:${line}: ${fault}.`, { data: { file, line } });
}

/** The first five of a list, for a message. */
function sample(ids: readonly string[]): string {
  return ids.slice(0, 5).join(', ') + (ids.length > 5 ? ` and ${ids.length - 5} more` : '');
}
