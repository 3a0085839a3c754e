/**
 * `npm run bench -- verdict`: is the verdict true in every style of asking? Each request is asked in one of six catalogs, of 60,
 * 330 and 2,000 skills for each half of the repositories. Weights are fitted on one half; the other is only measured.
 */

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Reader } from '../index/reader/reader.ts';
import { openEmbedder } from '../src/search/embedding/open.ts';
import { search } from '../src/search/search.ts';
import { type Verdict, verdictOf } from '../src/search/verdict.ts';
import { type Claim, calibrationError, reliability, rocArea } from './evaluation/confidence.ts';
import { readDatasetFolder } from './evaluation/dataset-folder.ts';
import { mean } from './evaluation/statistics.ts';
import { columns, percent } from './evaluation/table.ts';
import { openIndex } from './open-index.ts';
import { MODELS, VERDICT } from './paths.ts';
import { type Carried, carriedSignal, readRows } from './requests.ts';
import { publish } from './results-file.ts';

interface VerdictOptions {
  readonly index: string;
  readonly half: Half;
  /** Folder of the datasets of `bench -- requests`: skills carry their requests. Absent: none do. */
  readonly data?: string;
  /** The command line for `RESULTS.md`; absent: print only. */
  readonly write?: string;
}

const HALVES = ['fit', 'unseen'] as const;
type Half = (typeof HALVES)[number];

/** A request, and what the search said of it. */
interface Judged {
  readonly id: string;
  readonly text: string;
  readonly style: string;
  readonly isAnswerable: boolean;
  readonly isRight: boolean;
  readonly fit: number;
  readonly verdict: Verdict;
  readonly first: string;
}

/** Worst requests that are printed. */
const WORST = 30;

export async function measureVerdict({ index, half, data, write }: VerdictOptions): Promise<void> {
  const judged = await judge(index, half, data);
  const styles = [...new Set(judged.map(({ style }) => style))];
  const rows = styles.map((style) =>
    rowOf(
      style,
      judged.filter((one) => one.style === style),
    ),
  );
  const claims = claimsOf(judged);
  const tenths = reliability(claims).map(({ from, to, claims: count, meanConfidence, accuracy }) => [
    `${from.toFixed(1)}–${to.toFixed(1)}`,
    String(count),
    percent(meanConfidence),
    percent(accuracy),
  ]);
  const figures = [
    columns([HEAD, ...rows, rowOf('all', judged)]),
    columns([['fit', 'requests', 'claimed', 'answerable'], ...tenths]),
    // Tuning must not look at the other half.
    ...(half === 'fit' ? [worstOf(judged)] : []),
  ].join('\n');
  await publish(
    {
      name: `verdict-${half}${data === undefined ? '' : '-requests'}`,
      title: `The verdict by style: ${half === 'fit' ? 'the half that was fitted to' : 'the half that was not looked at'}${data === undefined ? '' : ', where skills carry requests'}`,
      figures,
      conditions: 'In %. Requests with an answer and without, in catalogs of 60, 330 and 2,000 skills.',
    },
    write,
  );
}

/** The half's requests, each asked in its catalog. */
async function judge(index: string, half: Half, data: string | undefined): Promise<Judged[]> {
  const { queries, qrels } = await readDatasetFolder(VERDICT);
  const embedder = await openEmbedder(undefined, { modelsFolder: MODELS });
  const reader = openIndex(index, embedder);
  const catalogs = await catalogsOf(reader, half);
  const learned = data === undefined ? undefined : await carriedSignal(await readCarried(data), embedder);
  const judged: Judged[] = [];
  for (const { id, text, style = '' } of queries) {
    const [part, size] = id.split('-');
    if (part !== half) continue;
    const catalog = catalogs.get(Number(size))!;
    const { fit, hits } = await search(
      { query: text, limit: 1 },
      { reader: catalog, embedder, now: () => 0, ...(learned !== undefined && { learned }) },
    );
    const first = hits[0]?.entry.id ?? '';
    const grades = qrels.get(id);
    judged.push({
      id,
      text,
      style,
      isAnswerable: grades !== undefined,
      isRight: (grades?.get(first) ?? 0) > 0,
      fit: fit ?? 0,
      verdict: verdictOf(fit),
      first,
    });
  }
  reader.close();
  return judged;
}

/** What is indexed for any row of `bench -- requests`. */
async function readCarried(data: string): Promise<Carried> {
  const carried: Carried = new Map();
  for (const [, , more] of await readRows(data))
    for (const [skill, texts] of more)
      carried.set(skill, [...new Set([...(carried.get(skill) ?? []), ...texts])]);
  return carried;
}

/** The half's catalogs by size; the larger hold the smaller. */
async function catalogsOf(reader: Reader, half: Half): Promise<ReadonlyMap<number, Reader>> {
  const ordinals = new Map(Array.from(reader.ordinalsByKey(), (ordinal) => [reader.key(ordinal), ordinal]));
  const rows = (await readFile(join(VERDICT, 'catalogs.tsv'), 'utf8'))
    .split('\n')
    .map((line) => line.split('\t'))
    .filter(([part]) => part === half);
  const sizes = [...new Set(rows.map(([, size]) => Number(size)))];
  return new Map(
    sizes.map((most) => {
      const accept = new Uint8Array(reader.accept([]).length);
      for (const [, size, id = ''] of rows) {
        if (Number(size) > most) continue;
        const ordinal = ordinals.get(id);
        if (ordinal === undefined) throw new Error(`The index has no skill ${id}.`);
        accept[ordinal] = 1;
      }
      return [most, reader.restrictedTo(accept)];
    }),
  );
}

const HEAD = [
  'style',
  'answerable',
  'not',
  'ROC area',
  '"fits" where none does',
  '"none" where one does',
  'right first',
  'calibration error',
];

function rowOf(name: string, judged: readonly Judged[]): string[] {
  const answerable = judged.filter(({ isAnswerable }) => isAnswerable);
  const others = judged.filter(({ isAnswerable }) => !isAnswerable);
  const share = (some: readonly Judged[], is: (one: Judged) => boolean) =>
    some.length === 0 ? '–' : percent(mean(some.map((one) => Number(is(one)))));
  const fits = (some: readonly Judged[]) => some.map(({ fit }) => fit);
  const hasBoth = answerable.length > 0 && others.length > 0;
  return [
    name,
    String(answerable.length),
    String(others.length),
    hasBoth ? percent(rocArea.compute(fits(answerable), fits(others))) : '–',
    share(others, ({ verdict }) => verdict === 'fits'),
    share(answerable, ({ verdict }) => verdict === 'none'),
    share(answerable, ({ isRight }) => isRight),
    percent(calibrationError(claimsOf(judged))),
  ];
}

const claimsOf = (judged: readonly Judged[]): Claim[] =>
  judged.map(({ fit, isAnswerable }) => ({ confidence: fit, right: isAnswerable }));

/** The requests whose fit is farthest from the truth. */
function worstOf(judged: readonly Judged[]): string {
  const error = ({ fit, isAnswerable }: Judged) => Math.abs(Number(isAnswerable) - fit);
  const worst = [...judged].sort((a, b) => error(b) - error(a)).slice(0, WORST);
  const rows = worst.map(({ id, fit, isAnswerable, style, text, first }) => [
    id,
    fit.toFixed(2),
    isAnswerable ? 'yes' : 'no',
    style,
    text,
    first.split('/').at(-1) ?? '',
  ]);
  return columns([['request', 'fit', 'answerable', 'style', 'text', 'first'], ...rows], [0, 3, 4, 5]);
}
