/** The calls of agents in the audit log, those that a caller may see. Searches of the page have another name, and do not count. */

import { statSync } from 'node:fs';
import { systemCode } from '../../src/base/errors.ts';
import { type LoggedCall, readCalls } from '../usage/calls.ts';

/** Null where there is no log yet. It is read again when it has grown. `who` is null for the calls of all. */
export function callsIn(file: string | null, who: string | null): readonly LoggedCall[] | null {
  if (file === null) return null;
  try {
    const { size, mtimeMs } = statSync(file);
    if (last?.file !== file || last.size !== size || last.mtimeMs !== mtimeMs)
      last = { file, size, mtimeMs, calls: readCalls(file) };
    return last.calls.filter((call) => who === null || call.who === who);
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return null;
    throw error;
  }
}

let last: {
  readonly file: string;
  readonly size: number;
  readonly mtimeMs: number;
  readonly calls: readonly LoggedCall[];
} | null = null;

/** Queries whose answers named the skill, each once, the last first. */
export const queriesFinding = (calls: readonly LoggedCall[], id: string, most: number): readonly string[] =>
  [
    ...new Set(
      calls
        .toReversed()
        .flatMap(({ call, hits = [], query = '' }) =>
          call === 'search' && query !== '' && hits.includes(id) ? [query] : [],
        ),
    ),
  ].slice(0, most);
