/**
 * Queries and the skills that somebody ticked as right for them: kept in this browser, saved as the two files that `skillgate
 * eval` reads.
 */

import { signal } from '@preact/signals';
import { call } from './client.ts';
import { download } from './download.ts';

const KEY = 'skillgate-marks';
/** Hits among which a right one is looked for. */
const DEPTH = 10;

/** Ids of the right skills by query. */
type Marks = Readonly<Record<string, readonly string[]>>;

export const marks = signal<Marks>(JSON.parse(localStorage.getItem(KEY) ?? '{}'));

export function setMarks(next: Marks): void {
  marks.value = next;
  localStorage.setItem(KEY, JSON.stringify(next));
}

export function mark(query: string, id: string, isRight: boolean): void {
  const { [query]: before = [], ...others } = marks.peek();
  const ids = isRight ? [...before, id] : before.filter((other) => other !== id);
  setMarks(ids.length === 0 ? others : { ...others, [query]: ids });
}

export function saveMarks(): void {
  const entries = Object.entries(marks.peek());
  const line = (at: number) => `q${at + 1}`;
  download(
    'queries.jsonl',
    entries.map(([text], at) => `${JSON.stringify({ _id: line(at), text })}\n`).join(''),
  );
  const rows = entries.flatMap(([, ids], at) => ids.map((id) => `${line(at)}\t${id}\t1\n`));
  download('qrels.tsv', `query-id\tcorpus-id\tscore\n${rows.join('')}`);
}

/** Adds the queries and judgements of both files. Throws where they are no such files. */
export async function openMarks(files: readonly File[]): Promise<void> {
  const texts = await Promise.all(files.map(async (file) => ({ name: file.name, text: await file.text() })));
  const lines = (end: string) =>
    texts
      .filter(({ name }) => name.endsWith(end))
      .flatMap(({ text }) => text.split('\n').filter((line) => line.trim() !== ''));
  const queries = new Map(
    lines('.jsonl').map((line) => {
      const { _id, text } = JSON.parse(line);
      return [String(_id), String(text)] as const;
    }),
  );
  const next: Record<string, readonly string[]> = { ...marks.peek() };
  for (const row of lines('.tsv').slice(1)) {
    const [query = '', id = '', grade] = row.split('\t');
    const text = queries.get(query);
    if (text !== undefined && Number(grade) > 0) next[text] = [...new Set([...(next[text] ?? []), id])];
  }
  if (queries.size === 0) throw new Error('Choose both files: queries.jsonl and qrels.tsv.');
  setMarks(next);
}

/** The rank of the first right skill for each query, from 1; null where none is among the first ten. */
export async function measureMarks(): Promise<
  readonly { readonly query: string; readonly rank: number | null }[]
> {
  const ranks = [];
  for (const [query, ids] of Object.entries(marks.peek())) {
    const { hits } = await call('search', { query, limit: DEPTH });
    const hit = hits.find(({ id, copies, twins }) =>
      [id, ...copies, ...twins].some((other) => ids.includes(other)),
    );
    ranks.push({ query, rank: hit?.rank ?? null });
  }
  return ranks;
}
