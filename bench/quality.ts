/** `npm run bench -- [quality]`: all systems over each dataset, on the same catalog. */

import { resolve } from 'node:path';
import { type Dataset, missingDocuments } from '../extensions/eval/dataset.ts';
import { openEmbedder } from '../src/search/embedding/open.ts';
import type { Source } from '../src/sources/source.ts';
import { batches, pooled } from './catalog-sizes.ts';
import { type Collection, openCollection } from './collection.ts';
import { type Corpus, openCorpus } from './corpus.ts';
import { readDatasetFolder } from './evaluation/dataset-folder.ts';
import type { Evaluation } from './evaluation/evaluation.ts';
import { seeded, shuffled } from './evaluation/statistics.ts';
import { writeExpected } from './expected.ts';
import { efCurve } from './hnsw.ts';
import { holesLine } from './holes.ts';
import { measure } from './measure.ts';
import { withForeign, withhold } from './no-match.ts';
import { EXAMPLE_SKILLS, FOREIGN, MODELS, SHIPPED_DATASET, SHIPPED_DATASETS } from './paths.ts';
import type { SizePoint } from './plots/quality.ts';
import { progressBar, type ShowProgress } from './progress.ts';
import { type Results, summary, writeResults } from './quality-report.ts';
import { publish } from './results-file.ts';
import { filterSources } from './sources.ts';
import { PRODUCT, SYSTEMS, systemsNamed } from './systems/all.ts';
import type { BenchmarkSystem } from './systems/system.ts';

interface QualityOptions {
  /** Default: the shipped dataset, over the example skills. */
  readonly dataset?: readonly string[];
  readonly skills?: readonly string[];
  readonly system?: readonly string[];
  readonly queries?: number;
  readonly sizes?: readonly number[];
  readonly withhold?: boolean;
  readonly foreign?: boolean;
  readonly hnsw?: boolean;
  readonly full?: boolean;
  readonly embedder?: string;
  readonly out: string;
  readonly writeExpected?: boolean;
  /** The command line for `RESULTS.md`; absent: print only. */
  readonly write?: string;
}

/** Catalog sizes of `--full`. The whole catalog is always the last one. */
const SIZES = [100, 300, 1_000, 3_000, 10_000];

export async function measureQuality(options: QualityOptions): Promise<void> {
  const shipped = options.dataset === undefined;
  const skills = options.skills ?? (shipped ? [EXAMPLE_SKILLS] : []);
  const embedder = await openEmbedder(options.embedder, { modelsFolder: MODELS });
  const show = progressBar();
  const open = (sources: readonly Source[]) =>
    openCorpus(sources, embedder, ({ stage, done, total }) => show(`index: ${stage}`, done, total));
  // Consecutive datasets about the same skills share an index.
  const opened = new Map<string, Corpus>();
  const closeAll = async () => {
    for (const corpus of opened.values()) await corpus.close();
    opened.clear();
  };
  try {
    const kept: Evaluation[] = [];
    for (const folder of options.dataset ?? (options.writeExpected ? SHIPPED_DATASETS : [SHIPPED_DATASET])) {
      const collection = sampled(await openCollection(resolve(folder), skills), options.queries);
      try {
        if (!opened.has(collection.catalog)) await closeAll();
        const whole = opened.get(collection.catalog) ?? (await open(collection.sources));
        opened.set(collection.catalog, whole);
        const results = await measureAll(collection, whole, open, show, options);
        const { dataset: name } = results;
        const section = { name: `quality-${name}`, title: `Quality: ${name}`, figures: summary(results) };
        await publish(section, options.write);
        kept.push(...results.evaluations);
        const written = await writeResults(options.out, results);
        process.stderr.write(`Written: ${written.join(', ')}\n`);
      } finally {
        await collection.close();
      }
    }
    if (shipped && options.writeExpected) await writeExpected(kept);
  } finally {
    await closeAll();
  }
}

async function measureAll(
  { dataset, sources }: Collection,
  whole: Corpus,
  open: (sources: readonly Source[]) => Promise<Corpus>,
  show: ShowProgress,
  options: QualityOptions,
): Promise<Results> {
  for (const note of dataset.notes) process.stderr.write(`${dataset.name}: ${note}\n`);
  const ids = whole.skills.map(({ id }) => id);
  const known = new Set(ids);
  const systems = options.system === undefined ? SYSTEMS : systemsNamed(options.system);
  const measuring = { forced: options.system ?? [], onProgress: show };

  /** Measures on a subset of the catalog, with its own index. */
  const onSubset = async (some: readonly BenchmarkSystem[], skills: ReadonlySet<string>, asked: Dataset) => {
    const corpus = await open(filterSources(sources, (id) => skills.has(id)));
    try {
      return (await measure(some, corpus, asked, measuring)).evaluations;
    } finally {
      await corpus.close();
    }
  };

  const measured = await measure(systems, whole, dataset, measuring);
  const texts = dataset.queries.map(({ text }) => text);
  const hnsw = options.hnsw || options.full ? await efCurve(whole, texts) : null;

  const sizes: SizePoint[] = [];
  for (const size of options.sizes ?? (options.full ? SIZES : [])) {
    if (size >= ids.length) continue;
    const parts: Evaluation[] = [];
    for (const { queries, skills } of batches(dataset, ids, size))
      parts.push(...(await onSubset(systems, skills, { ...dataset, queries })));
    sizes.push({ size, evaluations: pooled(parts) });
  }
  if (sizes.length > 0) sizes.push({ size: ids.length, evaluations: measured.evaluations });

  let withheld: Evaluation | null = null;
  if (options.withhold || options.full) {
    const { dataset: asked, skills } = withhold(dataset);
    const rest = new Set(ids.filter((id) => !skills.has(id)));
    [withheld = null] = await onSubset([PRODUCT], rest, asked);
  }

  let foreign: Evaluation | null = null;
  if (options.foreign || options.full) {
    const asked = withForeign(dataset, await readDatasetFolder(FOREIGN));
    [foreign = null] = (await measure([PRODUCT], whole, asked, measuring)).evaluations;
  }

  return {
    ...measured,
    dataset: dataset.name,
    skills: ids.length,
    embedder: whole.embedder.id,
    holes: holesLine(measured.evaluations, dataset),
    missing: missingDocuments(dataset, (id) => known.has(id)),
    sizes: sizes.length === 0 ? null : sizes,
    withheld,
    foreign,
    hnsw,
  };
}

/** The collection with `count` of its queries, drawn with a fixed seed. */
function sampled(collection: Collection, count: number | undefined): Collection {
  if (count === undefined) return collection;
  const { dataset } = collection;
  const queries = shuffled(dataset.queries, seeded(1)).slice(0, count);
  return { ...collection, dataset: { ...dataset, queries } };
}
