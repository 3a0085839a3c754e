/** Opens the model that the user's `--embedder` names. */

import { join } from 'node:path';
import type { Embedder } from '../../../index/embedder.ts';
import { ModelError } from './errors.ts';
import { staticEmbedder } from './static.ts';
import type { TransformersOptions } from './transformers.ts';

interface OpenOptions {
  /** Contains the shipped model in `static/`. */
  readonly modelsFolder: string;
  /** Where downloads are kept; default: the package's own folder. */
  readonly cacheFolder?: string;
  readonly onDownload?: NonNullable<TransformersOptions['onDownload']>;
}

/**
 * Opens the shipped model for `undefined` or `static`; otherwise the model in that folder, or with that id on the
 * Hugging Face hub. Throws `ModelError`.
 */
export async function openEmbedder(setting: string | undefined, options: OpenOptions): Promise<Embedder> {
  const { modelsFolder, cacheFolder, onDownload } = options;
  if (setting === undefined || setting === 'static') return staticEmbedder(join(modelsFolder, 'static'));
  if (setting === WORDS_ONLY) return wordsOnlyEmbedder;
  const { transformersEmbedder } = await import('./transformers.ts');
  return transformersEmbedder(setting, {
    ...(cacheFolder === undefined ? {} : { downloads: join(cacheFolder, 'models') }),
    onDownload,
  });
}

/** The model, or why it cannot be loaded and the setting under which words alone are indexed. */
export async function openOrWordsOnly(
  setting: string | undefined,
  options: OpenOptions,
): Promise<{ readonly setting: string | undefined; readonly embedder: Embedder; readonly failure?: string }> {
  try {
    return { setting, embedder: await openEmbedder(setting, options) };
  } catch (error) {
    if (!(error instanceof ModelError)) throw error;
    return { setting: WORDS_ONLY, embedder: wordsOnlyEmbedder, failure: error.message };
  }
}

/** Why no model but the shipped one can be opened on this machine, or null. */
export const whyNoModels = async (): Promise<string | null> =>
  (await import('./transformers.ts')).whyNoTransformers();

/** As `--embedder` would name it; no folder and no hub id has this form. */
const WORDS_ONLY = 'words-only:';

const wordsOnlyEmbedder: Embedder = {
  id: WORDS_ONLY,
  dimensions: 1,
  embedPassages: async (texts) => new Float32Array(texts.length),
  embedQuery: async () => new Float32Array(1),
};
