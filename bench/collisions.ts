/**
 * `npm run bench -- collisions`: does `stats --collisions` find the skills that an agent could not tell apart? Judged pairs
 * (`datasets/collisions`), next to the cosine of the cards and to shared words, each with the threshold that is best on one half
 * of the pairs and measured on the other; and each pair in a random catalog of the size of a large team's.
 */

import { readFileSync } from 'node:fs';
import { collisions, collisionsWith } from '../extensions/authoring/collisions.ts';
import { COLLIDES, TellApart } from '../extensions/authoring/tell-apart.ts';
import { termsOf } from '../index/lexical/analysis/analyzer.ts';
import type { Reader } from '../index/reader/reader.ts';
import { openEmbedder } from '../src/search/embedding/open.ts';
import { entryAt } from '../src/search/search.ts';
import { mean, seeded } from './evaluation/statistics.ts';
import { columns, percent } from './evaluation/table.ts';
import { openIndex } from './open-index.ts';
import { here, MODELS } from './paths.ts';
import { publish } from './results-file.ts';

interface CollisionsOptions {
  readonly index: string;
  /** Skills of a random catalog. */
  readonly size: number;
  readonly seed: number;
  /** The command line for `RESULTS.md`; absent: print only. */
  readonly write?: string;
}

const PAIRS = here('datasets/collisions/pairs.tsv');
/** Around the product's threshold. */
const THRESHOLDS = [0.74, 0.78, 0.82, 0.86, 0.9];

export interface JudgedPair {
  readonly ids: readonly [string, string];
  readonly collide: boolean;
  /** Which half it is in: thresholds are chosen on one, figures come from the other. */
  readonly half: 'fit' | 'held-out';
}

/** A judged pair with a number that is higher the more the two seem to collide. */
export interface Scored {
  readonly collide: boolean;
  readonly half: JudgedPair['half'];
  readonly score: number;
}

export interface Counts {
  /** Of those found, the share that collide; 1 where nothing is found. */
  readonly precision: number;
  /** Of those that collide, the share found. */
  readonly recall: number;
  readonly f1: number;
}

/** Pairs with at least `threshold` count as found. */
export function countsAt(pairs: readonly Scored[], threshold: number): Counts {
  const found = pairs.filter(({ score }) => score >= threshold);
  const right = found.filter(({ collide }) => collide).length;
  const precision = found.length === 0 ? 1 : right / found.length;
  const recall = right / pairs.filter(({ collide }) => collide).length;
  return { precision, recall, f1: right === 0 ? 0 : (2 * precision * recall) / (precision + recall) };
}

/** The score of a pair with the highest F1; of several the highest. */
export function bestThreshold(pairs: readonly Scored[]): number {
  const scores = pairs.map(({ score }) => score).sort((a, b) => b - a);
  return scores.reduce((best, score) =>
    countsAt(pairs, score).f1 > countsAt(pairs, best).f1 ? score : best,
  );
}

/** Share of all (colliding, other) pairs that the score puts in order; ties count half. */
export function areaUnder(pairs: readonly Scored[]): number {
  const [yes, no] = [true, false].map((wanted) => pairs.filter(({ collide }) => collide === wanted));
  return mean(
    yes!.flatMap(({ score }) =>
      no!.map((other) => (score > other.score ? 1 : score === other.score ? 0.5 : 0)),
    ),
  );
}

export function readPairs(text: string): JudgedPair[] {
  const [, ...lines] = text.trimEnd().split('\n');
  return lines.map((line) => {
    const [a, b, collide, half] = line.split('\t');
    return { ids: [a!, b!], collide: collide === '1', half: half === 'fit' ? 'fit' : 'held-out' };
  });
}

export async function measureCollisions(options: CollisionsOptions): Promise<void> {
  const embedder = await openEmbedder(undefined, { modelsFolder: MODELS });
  const reader = openIndex(options.index, embedder);
  const index = { reader, embedder, now: () => performance.now() };
  const ordinals = new Map(Array.from(reader.ordinalsByKey(), (ordinal) => [reader.key(ordinal), ordinal]));
  const all = readPairs(readFileSync(PAIRS, 'utf8'));
  const known = all.filter(({ ids }) => ids.every((id) => ordinals.has(id)));
  const pairs = known.map((pair) => ({
    ...pair,
    at: pair.ids.map((id) => ordinals.get(id)!) as [number, number],
  }));
  const tellApart = new TellApart(reader);
  const ways: readonly (readonly [string, (a: number, b: number) => number, number?])[] = [
    ['words in common', (a, b) => inCommon(reader, a, b)],
    ['cosine of the cards', (a, b) => tellApart.of(a, b).similarity],
    ['cosine of 0.95, as before', (a, b) => tellApart.of(a, b).similarity, 0.95],
    ['skillgate', (a, b) => tellApart.of(a, b).closeness, COLLIDES],
  ];
  const rows = ways.map(([name, score, fixed]) => {
    const scored = pairs.map(({ at: [a, b], ...pair }) => ({ ...pair, score: score(a, b) }));
    const heldOut = scored.filter(({ half }) => half === 'held-out');
    const threshold = fixed ?? bestThreshold(scored.filter(({ half }) => half === 'fit'));
    return [
      name,
      threshold.toFixed(3),
      ...cells(countsAt(heldOut, threshold)),
      areaUnder(heldOut).toFixed(3),
    ];
  });
  const closeness = pairs.map(({ at: [a, b], ...pair }) => ({
    ...pair,
    score: tellApart.of(a, b).closeness,
  }));
  const levels = THRESHOLDS.map((threshold) => [
    `${threshold}${threshold === COLLIDES ? ' (used)' : ''}`,
    ...cells(countsAt(closeness, threshold)),
  ]);
  const slices = await inSlices(index, pairs, options);
  const before = process.cpuUsage();
  const { total } = await collisions(index, 0);
  const { user, system } = process.cpuUsage(before);
  reader.close();
  const head = ['precision', 'recall', 'F1'];
  await publish(
    {
      name: 'collisions',
      title: 'Collisions',
      conditions: `${known.length} of ${all.length} judged pairs are in the catalog. Seed ${options.seed}.`,
      figures: [
        'The held-out half, with the threshold that is best on the other half:',
        columns([['', 'threshold', ...head, 'area under the curve'], ...rows]),
        '\nskillgate on all pairs, by threshold:',
        columns([['threshold', ...head], ...levels]),
        `\nEach pair in a random catalog of ${options.size} skills, as the command finds them:`,
        columns(slices),
        `\nThe whole catalog, ${reader.documents} skills: ${total} pairs in ${((user + system) / 1e6).toFixed(0)} s of processor time.`,
      ].join('\n'),
    },
    options.write,
  );
}

const cells = ({ precision, recall, f1 }: Counts) => [percent(precision), percent(recall), percent(f1)];

/** Jaccard index of the words of name and description. */
function inCommon(reader: Reader, a: number, b: number): number {
  const [first, second] = [a, b].map((ordinal) => {
    const { name, description } = entryAt(reader, ordinal);
    return new Set(termsOf(`${name.replace(/[-_]+/g, ' ')} ${description}`));
  });
  const shared = [...first!].filter((term) => second!.has(term)).length;
  return shared / (first!.size + second!.size - shared);
}

type Located = JudgedPair & { readonly at: readonly [number, number] };

async function inSlices(
  { reader, ...index }: Parameters<typeof collisions>[0],
  pairs: readonly Located[],
  { size, seed }: CollisionsOptions,
): Promise<string[][]> {
  const random = seeded(seed);
  const living = reader.ordinalsByKey();
  const results: { readonly collide: boolean; readonly found: boolean; readonly total: number }[] = [];
  for (const { at, collide } of pairs) {
    const chosen = new Set<number>(at);
    while (chosen.size < Math.min(size, living.length))
      chosen.add(living[Math.floor(random() * living.length)]!);
    const slice = reader.restrictedTo(reader.accept([]).map((_, ordinal) => (chosen.has(ordinal) ? 1 : 0)));
    const [one, other] = at;
    const own = await collisionsWith({ reader: slice, ...index }, one);
    const { total } = await collisions({ reader: slice, ...index }, 0);
    results.push({ collide, found: own.some((each) => each.other === reader.key(other)), total });
  }
  return [
    ['', 'pairs', 'found', 'all pairs found in their catalogs, on average'],
    ...[true, false].map((wanted) => {
      const own = results.filter(({ collide }) => collide === wanted);
      const found = own.filter((each) => each.found).length;
      return [
        wanted ? 'colliding' : 'near, but different',
        `${own.length}`,
        `${found}`,
        mean(own.map(({ total }) => total)).toFixed(1),
      ];
    }),
  ];
}
