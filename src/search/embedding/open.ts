/** Opens the model that the user's `--embedder` names. */

import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Embedder } from '../../../index/embedder.ts';
import { staticEmbedder } from './static.ts';
import type { TransformersOptions } from './transformers.ts';
import { WORDS_ONLY, wordsOnlyEmbedder } from './words-only.ts';

interface OpenOptions {
  /** Contains the shipped model in `static/`. */
  readonly modelsFolder: string;
  /** Where downloads and finished embeddings are kept. Without it, embeddings are not cached. */
  readonly cacheFolder?: string;
  readonly onDownload?: NonNullable<TransformersOptions['onDownload']>;
}

/** The build prepares this file from the shipped model; it does not exist in a program that is not built. */
const PREPARED = fileURLToPath(new URL('static-model.bin', import.meta.url));

/**
 * Opens the shipped model for `undefined` or `static`; otherwise the model in that folder, or with that id on the
 * Hugging Face hub. Throws `ModelError`.
 */
export async function openEmbedder(setting: string | undefined, options: OpenOptions): Promise<Embedder> {
  const { modelsFolder, cacheFolder, onDownload } = options;
  if (setting === undefined || setting === 'static')
    return staticEmbedder(join(modelsFolder, 'static'), PREPARED);
  if (setting === WORDS_ONLY) return wordsOnlyEmbedder;
  const { transformersEmbedder } = await import('./transformers.ts');
  const embedder = await transformersEmbedder(setting, {
    ...(cacheFolder === undefined ? {} : { downloads: join(cacheFolder, 'models') }),
    onDownload,
  });
  // The shipped model is faster than any cache; these take 10 ms per text and more.
  if (cacheFolder === undefined) return embedder;
  const { cachedEmbedder } = await import('./cache.ts');
  return cachedEmbedder(embedder, join(cacheFolder, 'embeddings'));
}
