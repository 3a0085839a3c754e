import { describe, expect, it } from 'vitest';
import { familyOf, isMultilingual, pooled } from '../../../../src/search/embedding/families.ts';

const BGE = 'Represent this sentence for searching relevant passages: ';

describe('isMultilingual', () => {
  it.each([
    'Xenova/multilingual-e5-small',
    'Xenova/paraphrase-multilingual-MiniLM-L12-v2',
    'Xenova/bge-m3',
    'Snowflake/snowflake-arctic-embed-m-v2.0',
    'onnx-community/Qwen3-Embedding-0.6B-ONNX',
    'onnx-community/embeddinggemma-300m-ONNX',
    'models/LaBSE/',
  ])('is true for %s', (model) => expect(isMultilingual(model)).toBe(true));

  it.each([
    'Xenova/all-MiniLM-L6-v2',
    'Xenova/bge-small-en-v1.5',
    'multilingual/gte-small',
    'Supabase/gte-small',
  ])('is false for %s', (model) => expect(isMultilingual(model)).toBe(false));
});

describe('familyOf', () => {
  it.each([
    ['Xenova/all-MiniLM-L6-v2', 'mean', '', ''],
    ['Xenova/all-mpnet-base-v2', 'mean', '', ''],
    ['Xenova/bge-small-en-v1.5', 'cls', BGE, ''],
    ['Xenova/bge-base-zh-v1.5', 'cls', '为这个句子生成表示以用于检索相关文章：', ''],
    ['Xenova/bge-m3', 'cls', '', ''],
    ['Xenova/e5-small-v2', 'mean', 'query: ', 'passage: '],
    ['Xenova/multilingual-e5-base', 'mean', 'query: ', 'passage: '],
    [
      'intfloat/multilingual-e5-large-instruct',
      'mean',
      'Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery: ',
      '',
    ],
    ['Snowflake/snowflake-arctic-embed-s', 'cls', BGE, ''],
    ['Snowflake/snowflake-arctic-embed-m-v1.5', 'cls', BGE, ''],
    ['Snowflake/snowflake-arctic-embed-l-v2.0', 'cls', 'query: ', ''],
    ['Supabase/gte-small', 'mean', '', ''],
    ['Alibaba-NLP/gte-base-en-v1.5', 'cls', '', ''],
    ['Alibaba-NLP/gte-modernbert-base', 'cls', '', ''],
    ['nomic-ai/nomic-embed-text-v1.5', 'mean', 'search_query: ', 'search_document: '],
    ['nomic-ai/modernbert-embed-base', 'mean', 'search_query: ', 'search_document: '],
    ['Xenova/jina-embeddings-v2-small-en', 'mean', '', ''],
    ['mixedbread-ai/mxbai-embed-xsmall-v1', 'mean', '', ''],
    ['mixedbread-ai/mxbai-embed-large-v1', 'cls', BGE, ''],
    [
      'onnx-community/Qwen3-Embedding-0.6B-ONNX',
      'last',
      'Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery:',
      '',
    ],
    [
      'onnx-community/embeddinggemma-300m-ONNX',
      'mean',
      'task: search result | query: ',
      'title: none | text: ',
    ],
    ['somebody/unheard-of', 'mean', '', ''],
  ])('knows the pooling and prefixes of %s', (model, pooling, query, passage) => {
    expect(familyOf(model)).toMatchObject({ pooling, query, passage });
  });

  it('matches the name of a folder, whatever its parents', () => {
    expect(familyOf('/models/e5/bge-small-en-v1.5/')).toBe(familyOf('BAAI/bge-small-en-v1.5'));
    expect(familyOf('C:\\models\\bge-small-en-v1.5')).toBe(familyOf('BAAI/bge-small-en-v1.5'));
  });

  it('cites a model card for every rule', () => {
    expect(familyOf('BAAI/bge-m3').source).toMatch(/^[\w.-]+\/[\w.-]+$/);
  });
});

describe('pooled', () => {
  // Two texts of three tokens, two dimensions; the first text is padded on the right, the second on the left.
  const vectors = {
    values: Float32Array.of(3, 0, 0, 4, 9, 9, /* second */ 9, 9, 0, 2, 5, 0),
    texts: 2,
    tokens: 3,
    dimensions: 2,
  };
  const mask = [1n, 1n, 0n, 0n, 1n, 1n];

  it('takes the mean of the unmasked tokens', () => {
    // (3, 0) + (0, 4) has the length 5; (0, 2) + (5, 0) the length √29.
    const expected = [3 / 5, 4 / 5, 5 / Math.sqrt(29), 2 / Math.sqrt(29)];
    pooled(vectors, mask, 'mean').forEach((value, at) => {
      expect(value).toBeCloseTo(expected[at]!, 6);
    });
  });

  it('takes the first or the last token, on whichever side the padding is', () => {
    expect([...pooled(vectors, mask, 'cls')]).toEqual([1, 0, 0, 1]);
    expect([...pooled(vectors, mask, 'last')]).toEqual([0, 1, 1, 0]);
  });

  it('gives zeros for a text without tokens', () => {
    for (const pooling of ['mean', 'cls', 'last'] as const)
      expect([...pooled(vectors, [0, 0, 0, 0, 1, 0], pooling)]).toEqual([0, 0, 0, 1]);
  });
});
