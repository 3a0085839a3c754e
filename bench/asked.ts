/** Other queries for the judgements of a dataset: a `queries.jsonl` whose ids are those of the dataset. */

import { readFile } from 'node:fs/promises';
import * as z from 'zod';
import type { Dataset, Query } from '../extensions/eval/dataset.ts';
import { DatasetError } from '../extensions/eval/dataset.ts';

const row = z.object({ _id: z.string(), text: z.string().min(1) });

/** The queries of `dataset`; in the words of `file` where one is given. Throws `DATASET_INVALID` and system errors. */
export async function queriesOf(
  dataset: Pick<Dataset, 'queries'>,
  file: string | undefined,
): Promise<readonly Query[]> {
  return file === undefined ? dataset.queries : queriesFrom(await readFile(file, 'utf8'), dataset);
}

/** Each query of `dataset` that `text` has a line for, with that line's words. Throws `DATASET_INVALID`. */
export function queriesFrom(text: string, dataset: Pick<Dataset, 'queries'>): Query[] {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const texts = new Map(
    lines.map((line) => {
      const { _id, text: words } = row.parse(JSON.parse(line));
      return [_id, words];
    }),
  );
  const known = new Set(dataset.queries.map(({ id }) => id));
  const [stranger] = [...texts.keys()].filter((id) => !known.has(id));
  if (stranger !== undefined)
    throw new DatasetError(
      'DATASET_INVALID',
      `The dataset has no query ${stranger}: name the queries by its ids.`,
    );
  return dataset.queries.flatMap((query) => {
    const words = texts.get(query.id);
    return words === undefined ? [] : { ...query, text: words };
  });
}
