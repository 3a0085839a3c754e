/** Queries for timed searches: the texts of a `queries.jsonl`. */

import { readFile } from 'node:fs/promises';
import * as z from 'zod';

const row = z.object({ text: z.string() });

/** Throws if the file has no queries. */
export async function readQueries(file: string): Promise<string[]> {
  const lines = (await readFile(file, 'utf8')).split('\n').filter((line) => line.trim() !== '');
  const texts = lines.map((line) => row.parse(JSON.parse(line)).text).filter((text) => text.trim() !== '');
  if (texts.length === 0) throw new Error(`${file} has no queries.`);
  return texts;
}
