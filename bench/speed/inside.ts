/**
 * A process of its own that searches through the library's API: `node --import tsx inside.ts <index> <queries>
 * <searches> [<corpus>]`. Prints how long a search takes, apart from embedding its query, and how many of its ten hits
 * an exhaustive computation of the same score has too; and writes the corpus that the peers are given, where asked to.
 */

import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Embedder } from '#index';
import { mean } from '../../src/evaluation/public.ts';
import { openEmbedder } from '../../src/public.ts';
import { rank } from '../../src/search/rank.ts';
import { featuresOf } from '../../src/search/rerank.ts';
import { entryAt, search } from '../../src/search/search.ts';
import { openIndex } from '../open-index.ts';
import { latencyOf, timesOf } from './processes.ts';
import { readQueries } from './queries.ts';

const TOP = 10;
/** Documents scored for the recall, over all queries: half a minute. */
const EXHAUSTIVE_DOCUMENTS = 2_500_000;
/** Queries it is taken over, whatever the size. */
const EXHAUSTIVE_QUERIES = [20, 100] as const;

const [indexFolder, queriesFile, searches, corpus] = process.argv.slice(2);
if (indexFolder === undefined || queriesFile === undefined)
  throw new Error('inside.ts <index> <queries> <searches> [<corpus>]');

const models = new URL('../../models', import.meta.url).pathname;
const embedder = await openEmbedder(undefined, { modelsFolder: models });
const reader = openIndex(indexFolder, embedder);
await reader.openVectors();
const queries = await readQueries(queriesFile);

/** Times of the embedding alone, one a search. */
const embedding: number[] = [];
const timed: Embedder = {
  ...embedder,
  async embedQuery(text) {
    const start = performance.now();
    const vector = await embedder.embedQuery(text);
    embedding.push(performance.now() - start);
    return vector;
  },
};
const now = () => performance.now();
const ask = (query: string, foldTwins: boolean, limit: number) =>
  search({ query, limit, foldTwins }, { reader, embedder: timed, now });

const { retrieval } = await ask(queries[0]!, true, TOP);
const times = await timesOf((query) => ask(query, true, 5), queries, Number(searches));
const embeds = embedding.slice(-times.length);
const retrieves = times.map((time, at) => time - embeds[at]!);

const living = reader.ordinalsByKey().toSorted();
const recalls: number[] = [];
const [fewest, most] = EXHAUSTIVE_QUERIES;
const exhausted = Math.min(most, Math.max(fewest, Math.round(EXHAUSTIVE_DOCUMENTS / living.length)));
for (const query of queries.slice(0, exhausted)) {
  const found = (await ask(query, false, TOP)).hits.map(({ entry }) => entry.id);
  const exact = await exhaustive(query, living);
  recalls.push(exact.length === 0 ? 1 : found.filter((id) => exact.includes(id)).length / exact.length);
}
const inside = {
  search: latencyOf(times),
  embed: latencyOf(embeds),
  retrieve: latencyOf(retrieves),
  vectors: retrieval.vectors,
};
if (corpus !== undefined) await writeCorpus(corpus);
process.stdout.write(JSON.stringify({ inside, recall: { queries: recalls.length, at10: mean(recalls) } }));

/** The ten best of all living documents, each scored as a candidate is; ids within rounding of the tenth count. */
async function exhaustive(query: string, ordinals: Uint32Array): Promise<string[]> {
  const vector = await embedder.embedQuery(query);
  const words = reader.lexical.prepare(query);
  const known = vector.some((value) => value !== 0) ? vector : null;
  const features = featuresOf(reader, ordinals, words, known);
  const { order } = rank(features, ordinals.length, (a, b) => ordinals[a]! - ordinals[b]!);
  return order.slice(0, TOP).map((at) => reader.key(ordinals[at]!));
}

/** Cards as JSON lines, summary vectors as float32 in the same order, queries with their vectors. */
async function writeCorpus(folder: string): Promise<void> {
  const cards = createWriteStream(join(folder, 'cards.jsonl'));
  const vectors = createWriteStream(join(folder, 'vectors.f32'));
  for (const ordinal of living) {
    const { id, name, description } = entryAt(reader, ordinal);
    cards.write(`${JSON.stringify({ id, name, description })}\n`);
    const vector = reader.documentVector(ordinal);
    if (!vectors.write(Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength)))
      await once(vectors, 'drain');
  }
  await Promise.all([cards, vectors].map((stream) => once(stream.end(), 'finish')));
  const asked = await Promise.all(
    queries.slice(0, 200).map(async (text) => ({ text, vector: [...(await embedder.embedQuery(text))] })),
  );
  await writeFile(join(folder, 'queries.json'), JSON.stringify(asked));
}
