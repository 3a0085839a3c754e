/** Reads the dataset that lies in a folder. */

import { existsSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { type Dataset, DatasetError, readDataset } from '../../extensions/eval/dataset.ts';

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
    throw new DatasetError('DATASET_UNREADABLE', `${folder} has neither qrels.tsv nor qrels/test.tsv.`, {
      data: { file: qrels },
    });
  const dataset = await readDataset({ name, queries, qrels: split });
  return { ...dataset, queries: dataset.queries.filter(({ id }) => dataset.qrels.has(id)) };
}

/** The documents of a query's highest grade; none where it has no grade above 0. */
export function bestDocuments({ qrels }: Dataset, query: string): ReadonlySet<string> {
  const grades = [...(qrels.get(query) ?? [])];
  const top = Math.max(0, ...grades.map(([, grade]) => grade));
  return new Set(top > 0 ? grades.filter(([, grade]) => grade === top).map(([id]) => id) : []);
}
