/** Reads calls back from an audit log that `audit.ts` wrote, for summaries of what was searched and loaded. */

import { closeSync, fstatSync, readSync } from 'node:fs';
import * as z from 'zod';
import { openRegular } from '../../src/base/files/open.ts';
import { parseJson } from '../../src/base/json.ts';

/** Bytes read at the end of the log, 64 MiB: about 150,000 calls. */
const MAX_BYTES = 2 ** 26;

const line = z
  .object({
    event: z.literal('call'),
    /** ISO 8601. */
    time: z.string(),
    who: z.string(),
    /** `search`, `load`, `read`, … */
    call: z.string(),
    arguments: z.object({ query: z.string().optional() }).optional(),
    /** `ok`, or an error's code. */
    outcome: z.string(),
    /** Id of the loaded skill. */
    skill: z.string().optional(),
    hits: z.array(z.string().nullable()).optional(),
    fit: z.number().optional(),
    weak: z.boolean().optional(),
  })
  .transform(({ event: _, arguments: { query } = {}, hits, ...call }) => ({
    ...call,
    query,
    hits: hits?.filter((id) => id !== null),
  }));

/** One logged call. */
export interface LoggedCall extends Readonly<Omit<z.infer<typeof line>, 'query' | 'hits'>> {
  readonly query?: string;
  /** Ids of the hits, best first. */
  readonly hits?: readonly string[];
}

/** The log's last calls, oldest first. Other events and broken lines are left out. Throws a system error where it cannot be read. */
export const readCalls = (file: string): LoggedCall[] =>
  textAtEnd(file)
    .split('\n')
    .flatMap((text) => (text.includes('"event":"call"') ? (line.safeParse(parseJson(text)).data ?? []) : []));

function textAtEnd(file: string): string {
  const handle = openRegular(file);
  try {
    const { size } = fstatSync(handle);
    const bytes = Buffer.alloc(Math.min(size, MAX_BYTES));
    const read = readSync(handle, bytes, 0, bytes.length, size - bytes.length);
    return bytes.subarray(0, read).toString('utf8');
  } finally {
    closeSync(handle);
  }
}
