/**
 * The hash chain of an audit log. Each line ends with the id of the process that wrote it, its number among that process's
 * lines, and the SHA-256 of that process's line before (`prev`). The first line of a process has the hash of the last line that was in the file, so a process's
 * lines hang on those before. A changed, removed, inserted or moved line breaks the chain.
 *
 * There is no key: anyone who can write the file can write a new chain. Lines cut off at the end show only to a reader who
 * kept the last hash, which `audit verify` prints.
 */

import { createHash } from 'node:crypto';
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import * as z from 'zod';
import { parseJson } from '../json/public.ts';

/** What a file without lines, or a new file, begins with. */
const NOTHING = '0'.repeat(64);
/** Bytes of a file's end in which its last line is looked for: lines have at most about 20 KB. */
const TAIL_BYTES = 262_144;

const linkSchema = z.object({
  writer: z.string(),
  seq: z.int().positive(),
  prev: z.string().regex(/^[0-9a-f]{64}$/),
});

const hashOf = (line: string) => createHash('sha256').update(line).digest('hex');

/** Adds the link to each line, which is a JSON object and ends with a line break. */
export function chained(writer: string, last: string | null): (line: string) => string {
  let prev = last === null ? NOTHING : hashOf(last);
  let seq = 0;
  return (line) => {
    seq += 1;
    const link = `"writer":${JSON.stringify(writer)},"seq":${seq},"prev":"${prev}"`;
    const linked = `${line.trimEnd().slice(0, -1)},${link}}`;
    prev = hashOf(linked);
    return `${linked}\n`;
  };
}

/** The last whole line of a file; null if there is no file or no line. Another process may be writing the next one. */
export function lastLineOf(path: string): string | null {
  let file: number;
  try {
    file = openSync(path, 'r');
  } catch {
    return null;
  }
  try {
    const { size } = fstatSync(file);
    const tail = Buffer.alloc(Math.min(size, TAIL_BYTES));
    readSync(file, tail, 0, tail.length, size - tail.length);
    return tail.toString('utf8').split('\n').at(-2) || null;
  } catch {
    return null;
  } finally {
    closeSync(file);
  }
}

interface ChainReport {
  readonly lines: number;
  /** Processes that wrote them. */
  readonly writers: number;
  /** Processes whose first lines are in an earlier file: the given ones do not prove that those were not removed. */
  readonly continued: number;
  /** SHA-256 of the last line: lines that are cut off later change it. Null without lines. */
  readonly last: string | null;
  /** The first line that does not belong there, 1-based, and why; null if the chain is whole. */
  readonly broken: { readonly line: number; readonly reason: string } | null;
}

/** Checks the lines of a file, or of several in the order in which they were written. */
export async function verifyChain(lines: AsyncIterable<string>): Promise<ChainReport> {
  const lastOf = new Map<string, string>();
  const seen = new Set<string>();
  let count = 0;
  let continued = 0;
  let last: string | null = null;
  const report = (reason: string | null): ChainReport => ({
    lines: count,
    writers: lastOf.size,
    continued,
    last,
    broken: reason === null ? null : { line: count, reason },
  });
  for await (const line of lines) {
    if (line === '') continue;
    count += 1;
    const link = linkOf(line);
    if (link === null) return report('it has no link of a chain');
    const { writer, seq, prev } = link;
    const own = lastOf.get(writer);
    if (own !== undefined && prev !== own) return report('the line before it was changed, removed or moved');
    if (own === undefined && seq > 1) continued += 1;
    else if (own === undefined && count > 1 && prev !== NOTHING && !seen.has(prev))
      return report('it begins a chain that hangs on no line before it');
    last = hashOf(line);
    lastOf.set(writer, last);
    seen.add(last);
  }
  return report(null);
}

const linkOf = (line: string): z.infer<typeof linkSchema> | null =>
  linkSchema.safeParse(parseJson(line)).data ?? null;
