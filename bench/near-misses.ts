/**
 * `npm run bench -- near-misses`: small catalogs in which something is near but nothing fits. Half of the requests are asked
 * in one slice of a catalog, half in another, from other repositories; as many requests in each have a right skill. How often
 * does the answer claim that a skill fits?
 */

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openEmbedder } from '../src/search/embedding/open.ts';
import { search } from '../src/search/search.ts';
import { type Verdict, verdictOf } from '../src/search/verdict.ts';
import { readDatasetFolder } from './evaluation/dataset-folder.ts';
import { mean } from './evaluation/statistics.ts';
import { columns, percent } from './evaluation/table.ts';
import { openIndex } from './open-index.ts';
import { MODELS, NEAR_MISSES } from './paths.ts';
import { publish } from './results-file.ts';

interface NearMissesOptions {
  readonly index: string;
  /** The command line for `RESULTS.md`; absent: print only. */
  readonly write?: string;
}

/** What each slice was used for. */
const HALVES = { a: 'a, seen', b: 'b, not fitted' } as const;

export async function measureNearMisses({ index, write }: NearMissesOptions): Promise<void> {
  const { queries, qrels } = await readDatasetFolder(NEAR_MISSES);
  const embedder = await openEmbedder(undefined, { modelsFolder: MODELS });
  const reader = openIndex(index, embedder);
  const slices = await readSlices();
  const ordinals = new Map(Array.from(reader.ordinalsByKey(), (ordinal) => [reader.key(ordinal), ordinal]));
  const rows: string[][] = [];
  for (const [half, name] of Object.entries(HALVES)) {
    const accept = new Uint8Array(reader.accept([]).length);
    for (const { slice, id } of slices) {
      if (slice !== half) continue;
      const ordinal = ordinals.get(id);
      if (ordinal === undefined) throw new Error(`The index has no skill ${id}.`);
      accept[ordinal] = 1;
    }
    const slice = reader.restrictedTo(accept);
    for (const style of ['near', 'right']) {
      const asked = queries.filter((query) => query.id.startsWith(half) && query.style === style);
      const answers: { verdict: Verdict; isRight: boolean }[] = [];
      for (const { id, text } of asked) {
        const { fit, hits } = await search(
          { query: text, limit: 1 },
          { reader: slice, embedder, now: () => 0 },
        );
        const grade = qrels.get(id)?.get(hits[0]?.entry.id ?? '') ?? 0;
        answers.push({ verdict: verdictOf(fit), isRight: grade > 0 });
      }
      const share = (is: (answer: (typeof answers)[number]) => boolean) =>
        percent(mean(answers.map((answer) => Number(is(answer)))));
      rows.push([
        style === 'near' ? `${name}: something near` : `${name}: a right skill`,
        String(asked.length),
        share(({ verdict }) => verdict === 'fits'),
        share(({ verdict }) => verdict === 'none'),
        style === 'near' ? '–' : share(({ isRight }) => isRight),
      ]);
    }
  }
  reader.close();
  await publish(
    {
      name: 'near-misses',
      title: 'Near misses in small catalogs',
      figures: columns([
        ['requests', 'queries', 'a skill fits', 'none seems to fit', 'right first'],
        ...rows,
      ]),
      conditions: 'In %. 274 and 300 skills of the catalog, from different repositories.',
    },
    write,
  );
}

/** The skills of both slices, by their ids in the public catalog. */
export async function readSlices(): Promise<{ readonly slice: string; readonly id: string }[]> {
  const text = await readFile(join(NEAR_MISSES, 'slices.tsv'), 'utf8');
  return text
    .trimEnd()
    .split('\n')
    .map((line) => line.split('\t'))
    .map(([slice = '', id = '']) => ({ slice, id }));
}
