/** Vectors alone: over the product's own (scanned, or walked as a graph), and over descriptions as peers do it. */

import type { VectorMode } from '#index';
import type { RankedDocument } from '../../src/evaluation/public.ts';
import type { Corpus } from '../corpus.ts';
import type { Arm } from './arm.ts';
import { best, named } from './best.ts';

export const denseExact: Arm = {
  name: 'dense-exact',
  about: 'Cosine with the summary vector of each skill (card and body), every vector scanned.',
  build: (corpus) => nearest(corpus, 'exact'),
};

export const denseHnsw: Arm = {
  name: 'dense-hnsw',
  about: 'The same through the HNSW graph.',
  build: (corpus) => nearest(corpus, 'hnsw'),
};

/** The common method of skill and tool routers: one embedding of the description a skill. */
export const denseCard: Arm = {
  name: 'dense-card',
  about: 'Cosine of query and description, with the same model.',
  build: async (corpus) => {
    const search = await descriptionCosines(corpus);
    const ids = corpus.skills.map(({ id }) => id);
    return { search: async (query, k) => best(ids, await search(query), k) };
  },
};

/**
 * `semantic-then-keyword`: a fallback found in several skill routers. Descriptions near enough in meaning are
 * taken; only where there are none, those that share most words with the query.
 */
export const cascade: Arm = {
  name: 'semantic-then-keyword',
  about:
    'Descriptions with a cosine of at least 0.3; where there are none, those with most of the query’s words.',
  build: async (corpus) => {
    const ids = corpus.skills.map(({ id }) => id);
    const words = corpus.skills.map((skill) => new Set(wordsOf(`${skill.name} ${skill.description}`)));
    const cosines = await descriptionCosines(corpus);
    return {
      search: async (query, k): Promise<RankedDocument[]> => {
        const near = best(ids, await cosines(query), k).filter(({ score }) => score >= NEAR_ENOUGH);
        if (near.length > 0) return near;
        const wanted = [...new Set(wordsOf(query))];
        return best(
          ids,
          words.map((own) => wanted.filter((word) => own.has(word)).length / wanted.length),
          k,
        );
      },
    };
  },
};

/** Low enough that the fallback stays one. */
const NEAR_ENOUGH = 0.3;

async function nearest(corpus: Corpus, mode: VectorMode) {
  const { reader, vectors } = await corpus.openVectors(mode);
  if (vectors.fallback !== null) return null;
  return {
    search: async (query: string, k: number) =>
      named(reader, vectors.nearest(await corpus.embedder.embedQuery(query), k)),
  };
}

/** For a query, the cosine with each description, in the order of the skills. */
async function descriptionCosines({ skills, embedder }: Corpus) {
  const { dimensions } = embedder;
  const vectors = await embedder.embedPassages(skills.map(({ description }) => description));
  const cosines = new Float32Array(skills.length);
  return async (query: string): Promise<Float32Array> => {
    const embedded = await embedder.embedQuery(query);
    for (let row = 0; row < skills.length; row++) {
      let cosine = 0;
      for (let at = 0; at < dimensions; at++) cosine += embedded[at]! * vectors[row * dimensions + at]!;
      cosines[row] = cosine;
    }
    return cosines;
  };
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}
