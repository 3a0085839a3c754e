/**
 * A dataset and the skills that it asks about: a folder in BEIR layout with `skills/` in it, with skill folders given
 * by the caller, or with a `corpus.jsonl` of other documents.
 */

import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { type Dataset, DatasetError, renamed } from '../extensions/eval/dataset.ts';
import type { Source } from '../src/sources/source.ts';
import { readDatasetFolder } from './evaluation/dataset-folder.ts';
import { rowsAsSkills, scanOnce, sourcesOf } from './sources.ts';

export interface Collection {
  readonly dataset: Dataset;
  readonly sources: readonly Source[];
  /** Identifies the skills: two collections with the same value can share an index. */
  readonly catalog: string;
  /** Removes the files written for it. */
  close(): Promise<void>;
}

const row = z
  .object({
    _id: z.string().optional(),
    id: z.string().optional(),
    title: z.string().default(''),
    text: z.string().default(''),
  })
  .refine(({ _id, id }) => (_id ?? id) !== undefined, 'the field "_id" is missing');

/**
 * Opens the collection in `folder`. Its skills are the rows of `corpus.jsonl`; without that file, they are `skills/` in
 * the folder and the folders of `skills`. Throws `DATASET_UNREADABLE` if there are none, and as `readDatasetFolder` does.
 */
export async function openCollection(folder: string, skills: readonly string[]): Promise<Collection> {
  const dataset = await readDatasetFolder(folder);
  const corpus = join(folder, 'corpus.jsonl');
  if (existsSync(corpus)) return openRows(dataset, corpus);
  const own = join(folder, 'skills');
  const folders = [...(existsSync(own) ? [own] : []), ...skills];
  if (folders.length === 0)
    throw new DatasetError(
      'DATASET_UNREADABLE',
      `${folder} has no corpus.jsonl and no skills/. Name the folder of its skills with --skills DIR.`,
    );
  return {
    dataset,
    sources: scanOnce(sourcesOf(folders)),
    catalog: folders.join('\n'),
    close: async () => {},
  };
}

async function openRows(dataset: Dataset, corpus: string): Promise<Collection> {
  const lines = (await readFile(corpus, 'utf8')).split('\n');
  const rows = lines.flatMap((line, index) => {
    if (line.trim() === '') return [];
    const parsed = row.safeParse(jsonOf(line));
    if (!parsed.success) {
      const problem = z.prettifyError(parsed.error).replaceAll('\n', ' ');
      throw new DatasetError('DATASET_INVALID', `${corpus}:${index + 1}: ${problem}`);
    }
    const { _id, id = _id, title, text } = parsed.data;
    return [{ id: _id ?? id ?? '', title, text }];
  });
  const { folder, idOf, remove } = await rowsAsSkills(rows);
  return {
    dataset: renamed(dataset, (id) => idOf.get(id) ?? id),
    sources: scanOnce(sourcesOf([folder])),
    catalog: folder,
    close: remove,
  };
}

/** Null if the line is not JSON: the schema refuses null. */
function jsonOf(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}
