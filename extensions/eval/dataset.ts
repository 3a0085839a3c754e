/**
 * Queries and the judgements of assessors, read from two files in the BEIR layout (Thakur et al., NeurIPS 2021). The corpus
 * belongs to the system under test.
 */

import { readFile } from 'node:fs/promises';
import * as z from 'zod';
import { CodedError, errorMessage } from '../../src/base/errors.ts';
import type { Grades } from './measures.ts';

export interface Query {
  readonly id: string;
  /** Not blank. */
  readonly text: string;
  /** Style of the query, such as `agent`, `user`, `problem`. */
  readonly style?: string;
  /** True where the text contains the name of the wanted document, which favours lexical search. */
  readonly namesSkill?: boolean;
  /** How many documents the task needs, from 1. Above 1, it needs all documents of the highest grade. */
  readonly parts?: number;
}

export interface Dataset {
  readonly name: string;
  /** In file order. A query without a relevant document is a no-match query. */
  readonly queries: readonly Query[];
  /** Grades by query id. */
  readonly qrels: ReadonlyMap<string, Grades>;
  /** What the reader left out, in sentences for the user. */
  readonly notes: readonly string[];
}

/**
 * The dataset with its documents renamed by `idOf`. Where two names become one document, the higher grade counts.
 */
export function renamed(dataset: Dataset, idOf: (name: string) => string): Dataset {
  const qrels = new Map<string, Grades>();
  for (const [query, grades] of dataset.qrels) {
    const own = new Map<string, number>();
    for (const [name, grade] of grades) {
      const id = idOf(name);
      own.set(id, Math.max(grade, own.get(id) ?? grade));
    }
    qrels.set(query, own);
  }
  return { ...dataset, qrels };
}

/**
 * Relevant documents that the corpus lacks, sorted. They count as never found, as in trec_eval, so a report should
 * mention them.
 */
export function missingDocuments(dataset: Dataset, holds: (id: string) => boolean): readonly string[] {
  const missing = new Set<string>();
  for (const { id: queryId } of dataset.queries) {
    for (const [id, grade] of dataset.qrels.get(queryId) ?? []) if (grade > 0 && !holds(id)) missing.add(id);
  }
  return [...missing].sort();
}

/**
 * - `DATASET_UNREADABLE`: a file of the dataset cannot be opened; `data.file` names it.
 * - `DATASET_INVALID`: a line breaks the format; `data` holds file and 1-based line.
 */
export class DatasetError extends CodedError<'DATASET_UNREADABLE' | 'DATASET_INVALID'> {
  override readonly name = 'DatasetError';
}

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
    throw new DatasetError('DATASET_UNREADABLE', `Cannot read ${file}: ${errorMessage(cause)}`, {
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
    throw invalid(file, line, `not JSON (${errorMessage(cause)})`);
  }
}

function invalid(file: string, line: number, fault: string): DatasetError {
  return new DatasetError('DATASET_INVALID', `${file}:${line}: ${fault}.`, { data: { file, line } });
}

/** The first five of a list, for a message. */
function sample(ids: readonly string[]): string {
  return ids.slice(0, 5).join(', ') + (ids.length > 5 ? ` and ${ids.length - 5} more` : '');
}
