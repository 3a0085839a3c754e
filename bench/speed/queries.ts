/** Questions to ask while the clock runs: the texts of a dataset's `queries.jsonl`. */

import { readFile } from 'node:fs/promises';
import * as z from 'zod';

const row = z.object({ text: z.string() });

/** Throws where the file holds none. */
export async function readQueries(file: string): Promise<string[]> {
  const lines = (await readFile(file, 'utf8')).split('\n').filter((line) => line.trim() !== '');
  const texts = lines.map((line) => row.parse(JSON.parse(line)).text).filter((text) => text.trim() !== '');
  if (texts.length === 0) throw new Error(`${file} holds no queries.`);
  return texts;
}
