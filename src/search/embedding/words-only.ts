/** Stands for a model that cannot be loaded: texts have no vectors, so words alone find them. */

import type { Embedder } from '../../../index/embedder.ts';

/** As `--embedder` would name it; no folder and no hub id has this form. */
export const WORDS_ONLY = 'words-only:';

export const wordsOnlyEmbedder: Embedder = {
  id: WORDS_ONLY,
  dimensions: 1,
  embedPassages: async (texts) => new Float32Array(texts.length),
  embedQuery: async () => new Float32Array(1),
};
