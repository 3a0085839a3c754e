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
  it('opens the shipped model by default and by its name', async () => {
    for (const setting of [undefined, 'static'])
      expect((await openEmbedder(setting, { modelsFolder })).id).toMatch(/^tiny-2@/);
  });

  it('opens the model of a folder', async () => {
    expect((await openEmbedder(other, { modelsFolder })).id).toMatch(/^other:q8:mean@/);
  });
});
