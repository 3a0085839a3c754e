/**
 * The pooling and prefixes that common embedding models need, and the pooling itself: token vectors → one vector of unit
 * length per text. A model file does not contain them, and a wrong pooling or a missing prefix costs more quality than the
 * choice between two models. `transformers.ts` runs the models.
 */

import { toUnitLength } from '../../../index/vectors/float.ts';

/** Which token vectors make the text's vector: their mean, the first or the last. */
export type Pooling = 'mean' | 'cls' | 'last';

export interface ModelFamily {
  /** Matches the model's own name, in lower case, without owner or folder. */
  readonly name: RegExp;
  readonly pooling: Pooling;
  /** Prefix of a query. */
  readonly query: string;
  /** Prefix of a passage. */
  readonly passage: string;
  /** The model card that says so, on huggingface.co. */
  readonly source: string;
}

const BGE = 'Represent this sentence for searching relevant passages: ';
const INSTRUCT =
  'Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery:';

/** The first match counts. */
const FAMILIES: readonly ModelFamily[] = [
  { name: /^bge-m3/, pooling: 'cls', query: '', passage: '', source: 'BAAI/bge-m3' },
  {
    name: /^bge-.*-zh/,
    pooling: 'cls',
    query: '为这个句子生成表示以用于检索相关文章：',
    passage: '',
    source: 'BAAI/bge-small-zh-v1.5',
  },
  { name: /^bge-/, pooling: 'cls', query: BGE, passage: '', source: 'BAAI/bge-small-en-v1.5' },
  {
    name: /e5-.*instruct/,
    pooling: 'mean',
    query: `${INSTRUCT} `,
    passage: '',
    source: 'intfloat/multilingual-e5-large-instruct',
  },
  {
    name: /^(multilingual-)?e5-/,
    pooling: 'mean',
    query: 'query: ',
    passage: 'passage: ',
    source: 'intfloat/multilingual-e5-small',
  },
  {
    name: /^snowflake-arctic-embed-.*-v2/,
    pooling: 'cls',
    query: 'query: ',
    passage: '',
    source: 'Snowflake/snowflake-arctic-embed-m-v2.0',
  },
  {
    name: /^snowflake-arctic-embed/,
    pooling: 'cls',
    query: BGE,
    passage: '',
    source: 'Snowflake/snowflake-arctic-embed-s',
  },
  {
    name: /^gte-(small|base|large)(?!-en-v1\.5)/,
    pooling: 'mean',
    query: '',
    passage: '',
    source: 'thenlper/gte-small',
  },
  { name: /^gte-/, pooling: 'cls', query: '', passage: '', source: 'Alibaba-NLP/gte-base-en-v1.5' },
  {
    name: /^(nomic-embed-text|modernbert-embed)/,
    pooling: 'mean',
    query: 'search_query: ',
    passage: 'search_document: ',
    source: 'nomic-ai/nomic-embed-text-v1.5',
  },
  {
    name: /^jina-embeddings-v2/,
    pooling: 'mean',
    query: '',
    passage: '',
    source: 'jinaai/jina-embeddings-v2-small-en',
  },
  {
    name: /^mxbai-embed-xsmall/,
    pooling: 'mean',
    query: '',
    passage: '',
    source: 'mixedbread-ai/mxbai-embed-xsmall-v1',
  },
  {
    name: /^mxbai-embed/,
    pooling: 'cls',
    query: BGE,
    passage: '',
    source: 'mixedbread-ai/mxbai-embed-large-v1',
  },
  {
    name: /^qwen3-embedding/,
    pooling: 'last',
    query: INSTRUCT,
    passage: '',
    source: 'Qwen/Qwen3-Embedding-0.6B',
  },
  {
    name: /^embeddinggemma/,
    pooling: 'mean',
    query: 'task: search result | query: ',
    passage: 'title: none | text: ',
    source: 'google/embeddinggemma-300m',
  },
  {
    name: /minilm|mpnet/,
    pooling: 'mean',
    query: '',
    passage: '',
    source: 'sentence-transformers/all-MiniLM-L6-v2',
  },
];

/** The most common convention, for models of no known family. */
const UNKNOWN: ModelFamily = {
  name: /^/,
  pooling: 'mean',
  query: '',
  passage: '',
  source: 'sentence-transformers/all-MiniLM-L6-v2',
};

/** The family of a hub id (`owner/name`), a folder or a bare name. */
export function familyOf(model: string): ModelFamily {
  const name = nameOf(model);
  return FAMILIES.find((family) => family.name.test(name)) ?? UNKNOWN;
}

/** Models of many languages, by what their cards say. Most have the word in their name. */
const MULTILINGUAL =
  /multilingual|^bge-m3|^snowflake-arctic-embed-.*-v2|^qwen3-embedding|^embeddinggemma|^labse|^jina-embeddings-v[3-9]/;

/** Whether a model, named as for `familyOf`, embeds a text near its translation. */
export const isMultilingual = (model: string) => MULTILINGUAL.test(nameOf(model));

const nameOf = (model: string) =>
  model
    .replace(/[\\/]+$/, '')
    .replace(/^.*[\\/]/, '')
    .toLowerCase();

/** A model's output for a batch. */
export interface TokenVectors {
  /** `Float32Array[texts × tokens × d]`, row-major. */
  readonly values: Float32Array;
  readonly texts: number;
  readonly tokens: number;
  readonly dimensions: number;
}

/**
 * Pools the tokens that `mask` (texts × tokens, 0 for padding, on either side) marks. Returns `Float32Array[texts ×
 * d]`, rows of unit length; zeros for a text without tokens. NaN only if the model returned NaN.
 */
export function pooled(
  vectors: TokenVectors,
  mask: ArrayLike<number | bigint>,
  pooling: Pooling,
): Float32Array {
  const { values, texts, tokens, dimensions } = vectors;
  const out = new Float32Array(texts * dimensions);
  for (let text = 0; text < texts; text += 1) {
    let there = Array.from({ length: tokens }, (_, token) => token).filter(
      (token) => Number(mask[text * tokens + token]) !== 0,
    );
    if (pooling === 'cls') there = there.slice(0, 1);
    if (pooling === 'last') there = there.slice(-1);
    const row = out.subarray(text * dimensions, (text + 1) * dimensions);
    for (const token of there) {
      const from = (text * tokens + token) * dimensions;
      for (let at = 0; at < dimensions; at += 1) row[at]! += values[from + at]!;
    }
    // The mean differs from the sum only by its length, which is normalised here.
    toUnitLength(row);
  }
  return out;
}
