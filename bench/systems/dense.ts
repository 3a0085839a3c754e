/** Vectors alone: the product's vectors (scanned, or through HNSW), and vectors of the descriptions. */

import type { VectorMode } from '../../index/vectors/choose.ts';
import { dot } from '../../index/vectors/float.ts';
import type { Corpus } from '../corpus.ts';
import { topRanked, wordsOf } from '../evaluation/bm25.ts';
import type { RankedDocument } from '../evaluation/evaluation.ts';
import { toRankedDocuments } from './ranked.ts';
import type { BenchmarkSystem } from './system.ts';

export const denseExact: BenchmarkSystem = {
  name: 'dense-exact',
  about: 'Cosine with the summary vector of each skill (card and body), an exact scan.',
  build: (corpus) => nearest(corpus, 'exact'),
};

export const denseHnsw: BenchmarkSystem = {
  name: 'dense-hnsw',
  about: 'The same through the HNSW graph.',
  build: (corpus) => nearest(corpus, 'hnsw'),
};

/** The common method of skill and tool routers: one embedding per description. */
export const denseCard: BenchmarkSystem = {
  name: 'dense-card',
  about: 'Cosine of query and description, with the same model.',
  build: async (corpus) => {
    const search = await descriptionCosines(corpus);
    const ids = corpus.skills.map(({ id }) => id);
    return { search: async (query, k) => topRanked(ids, await search(query), k) };
  },
};

/**
 * `semantic-then-keyword`: a fallback that several skill routers use. It returns the descriptions above a cosine
 * threshold. If there are none, it returns those that share most words with the query.
 */
export const cascade: BenchmarkSystem = {
  name: 'semantic-then-keyword',
  about:
    'Descriptions with a cosine of at least 0.3; if there are none, those with most of the query’s words.',
  build: async (corpus) => {
    const ids = corpus.skills.map(({ id }) => id);
    const words = corpus.skills.map((skill) => new Set(wordsOf(`${skill.name} ${skill.description}`)));
    const cosines = await descriptionCosines(corpus);
    return {
      search: async (query, k): Promise<RankedDocument[]> => {
        const near = topRanked(ids, await cosines(query), k).filter(({ score }) => score >= NEAR_ENOUGH);
        if (near.length > 0) return near;
        const wanted = [...new Set(wordsOf(query))];
        return topRanked(
          ids,
          words.map((own) => wanted.filter((word) => own.has(word)).length / wanted.length),
          k,
        );
      },
    };
  },
};

/** Low enough that the fallback is rare. */
const NEAR_ENOUGH = 0.3;

async function nearest(corpus: Corpus, mode: VectorMode) {
  const { reader, vectors } = await corpus.openVectors(mode);
  if (vectors.fallback !== null) return null;
  return {
    search: async (query: string, k: number) =>
      toRankedDocuments(reader, vectors.nearest(await corpus.embedder.embedQuery(query), k)),
  };
}

/** A function from a query to its cosine with each description, in the order of the skills. */
async function descriptionCosines({ skills, embedder }: Corpus) {
  const { dimensions } = embedder;
  const vectors = await embedder.embedPassages(skills.map(({ description }) => description));
  const cosines = new Float32Array(skills.length);
  return async (query: string): Promise<Float32Array> => {
    const embedded = await embedder.embedQuery(query);
    for (let row = 0; row < skills.length; row++)
      cosines[row] = dot(embedded, vectors.subarray(row * dimensions, (row + 1) * dimensions));
    return cosines;
  };
}
