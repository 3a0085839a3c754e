/**
 * The shipped kind of model: a table with one vector per token; a text is the mean of its tokens. No native
 * library, no download, ready in about 10 ms.
 */

import { join } from 'node:path';
import type { Embedder } from '../../../index/embedder.ts';
import { toUnitLength } from '../../../index/vectors/float.ts';
import { openModelFile } from './model-file.ts';
import { tokenSum } from './sum.ts';

/**
 * Opens `model.safetensors` in `folder`. Its id contains a digest of vocabulary and table, so vectors of a retrained
 * table never mix with older ones.
 *
 * Embedding does not yield, about 10 µs for a text of 60 words: callers choose the batch size. Throws
 * `MODEL_MISSING` or `MODEL_INVALID`.
 */
export async function staticEmbedder(folder: string): Promise<Embedder> {
  const { id, wordPiece, table } = openModelFile(join(folder, 'model.safetensors'));
  const { dimensions } = table;
  const tokens = tokenSum(table);
  /**
   * The text's vector in `tokens.sum`. The sum has the direction of the mean; only its length differs, and that is
   * normalised.
   */
  const embed = (text: string): Float32Array => {
    tokens.add(wordPiece.encode(text, tokens.ids));
    toUnitLength(tokens.sum);
    return tokens.sum;
  };

  let words: readonly string[] | null = null;
  return {
    id,
    dimensions,
    words: () => {
      words ??= wordPiece.vocabulary.words();
      return words;
    },
    async embedPassages(texts) {
      const out = new Float32Array(texts.length * dimensions);
      texts.forEach((text, at) => {
        out.set(embed(text), at * dimensions);
      });
      return out;
    },
    async embedQuery(text) {
      return embed(text).slice();
    },
  };
}
