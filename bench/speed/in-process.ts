/**
 * Child process of `size.ts` that searches through the library: `node --import tsx in-process.ts <index> <queries>
 * <searches> [<corpus>]`. Prints the time of a search and of the embedding of its query, and the share of the first ten
 * hits that scoring every document also gives. With `<corpus>`, writes the corpus of the peers to that folder.
 */

import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Embedder } from '../../index/embedder.ts';
import { candidatesFor } from '../../src/search/candidates.ts';
import { openEmbedder } from '../../src/search/embedding/open.ts';
import { rankCandidates } from '../../src/search/ranking.ts';
import { acceptedBy, entryAt, search } from '../../src/search/search.ts';
import { mean } from '../evaluation/statistics.ts';
import { openIndex } from '../open-index.ts';
import { MODELS } from '../paths.ts';
import { latencyOf, timesOf } from './processes.ts';
import { readQueries } from './queries.ts';

const TOP = 10;
/** Documents scored for the recall, over all queries: takes half a minute. */
const EXHAUSTIVE_DOCUMENTS = 2_500_000;
/** Fewest and most queries for the recall. */
const EXHAUSTIVE_QUERIES = [20, 100] as const;
/** Most queries that peers are asked. */
const PEER_QUERIES = 300;

const [indexFolder, queriesFile, searches, corpus] = process.argv.slice(2);
if (indexFolder === undefined || queriesFile === undefined)
  throw new Error('in-process.ts <index> <queries> <searches> [<corpus>]');

const embedder = await openEmbedder(undefined, { modelsFolder: MODELS });
const reader = openIndex(indexFolder, embedder);
await reader.openVectors();
const queries = await readQueries(queriesFile);

/** Time of the embedding of each search, ms. */
const embeddingTimes: number[] = [];
const timed: Embedder = {
  ...embedder,
  async embedQuery(text) {
    const start = performance.now();
    const vector = await embedder.embedQuery(text);
    embeddingTimes.push(performance.now() - start);
    return vector;
  },
};
const now = () => performance.now();
const ask = (query: string, foldTwins: boolean, limit: number) =>
  search({ query, limit, foldTwins }, { reader, embedder: timed, now });

const { retrieval } = await ask(queries[0]!, true, TOP);
const times = await timesOf((query) => ask(query, true, 5), queries, Number(searches));
const embeds = embeddingTimes.slice(-times.length);
const retrieves = times.map((time, at) => time - embeds[at]!);

const live = reader.ordinalsByKey().toSorted();
const accept = acceptedBy(reader);
const recalls: number[] = [];
const [fewest, most] = EXHAUSTIVE_QUERIES;
const sampled = Math.min(most, Math.max(fewest, Math.round(EXHAUSTIVE_DOCUMENTS / live.length)));
for (const query of queries.slice(0, sampled)) {
  const found = (await ask(query, false, TOP)).hits.map(({ entry }) => entry.id);
  const exact = await exhaustive(query);
  recalls.push(exact.length === 0 ? 1 : found.filter((id) => exact.includes(id)).length / exact.length);
}
const inside = {
  search: latencyOf(times),
  embed: latencyOf(embeds),
  retrieve: latencyOf(retrieves),
  vectors: retrieval.vectors,
};
const first: string[] = [];
if (corpus !== undefined) {
  await writeCorpus(corpus);
  for (const query of queries.slice(0, PEER_QUERIES))
    first.push((await ask(query, true, 1)).hits[0]?.entry.id ?? '');
}
const recall = { queries: recalls.length, at10: mean(recalls) };
process.stdout.write(JSON.stringify({ inside, recall, ...(corpus !== undefined && { first }) }));

/** Ids of the ten best documents when every live document is scored as a candidate. */
async function exhaustive(query: string): Promise<string[]> {
  const candidates = await candidatesFor(query, reader, embedder, accept, reader.documents);
  const { order } = rankCandidates(reader, candidates, null);
  return order.slice(0, TOP).map((at) => reader.key(candidates.ordinals[at]!));
}

/** Writes cards as JSON lines, summary vectors as float32 in the same order, and queries with their vectors. */
async function writeCorpus(folder: string): Promise<void> {
  const cards = createWriteStream(join(folder, 'cards.jsonl'));
  const vectors = createWriteStream(join(folder, 'vectors.f32'));
  for (const ordinal of live) {
    const { id, name, description } = entryAt(reader, ordinal);
    cards.write(`${JSON.stringify({ id, name, description })}\n`);
    const vector = reader.documentVector(ordinal);
    if (!vectors.write(Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength)))
      await once(vectors, 'drain');
  }
  await Promise.all([cards, vectors].map((stream) => once(stream.end(), 'finish')));
  const asked = await Promise.all(
    queries
      .slice(0, PEER_QUERIES)
      .map(async (text) => ({ text, vector: [...(await embedder.embedQuery(text))] })),
  );
  await writeFile(join(folder, 'queries.json'), JSON.stringify(asked));
}
