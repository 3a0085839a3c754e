import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openEmbedder } from '../../../../src/search/embedding/open.ts';
import { temporaryFolder } from '../../../temporary-folder.ts';
import { writeStaticModel, writeTinyModel } from './tiny-model.ts';

const folder = temporaryFolder();
const modelsFolder = join(folder, 'models');
writeStaticModel(join(modelsFolder, 'static'));
const other = writeTinyModel(join(folder, 'other'));

describe('openEmbedder', () => {
  it('opens the model of a folder, and caches its embeddings if a folder is given', async () => {
    const cacheFolder = join(folder, 'cache');
    for (const options of [{ modelsFolder }, { modelsFolder, cacheFolder }]) {
      const embedder = await openEmbedder(other, options);
      expect(embedder.id).toMatch(/^other:q8:mean@/);
      await embedder.embedPassages(['reading']);
    }
    expect(readdirSync(join(cacheFolder, 'embeddings'))).toHaveLength(1);
  });
});
