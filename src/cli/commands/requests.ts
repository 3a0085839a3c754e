/** Requests from a file that a person wrote: a text with one a line, or `queries.jsonl` with `{text}` on each line. */

import { readFile } from 'node:fs/promises';
import { messageOf } from '../../base/errors.ts';
import { isRecord, parseJson } from '../../base/json.ts';
import { CliError } from '../exit-codes.ts';

/** At least one, in the order of the file. */
export async function requestsIn(file: string): Promise<readonly string[]> {
  const text = await readFile(file, 'utf8').catch((cause: unknown) => {
    throw new CliError('USAGE', `Cannot read ${file}: ${messageOf(cause)}`, { cause });
  });
  const requests = text
    .split(/\r?\n/)
    .map((line) => (/^\s*\{/.test(line) ? textIn(line) : line).trim())
    .filter((request) => request !== '');
  if (requests.length === 0) throw new CliError('USAGE', `${file} has no requests: write one a line.`);
  return requests;
}

function textIn(line: string): string {
  const row = parseJson(line);
  if (row === undefined) return line;
  return isRecord(row) && typeof row.text === 'string' ? row.text : '';
}
