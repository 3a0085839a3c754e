import { gitSource } from '../../../../src/catalog/sources/git.ts';
import { describeFetchedSource } from '../../../contracts/fetched-source.ts';
import { GIT_ENV, repository } from './git/repository.ts';

describeFetchedSource('gitSource', async () => {
  const origin = repository();
  let isDown = false;
  return {
    kind: 'git',
    secret: null,
    hold: async (files) => void origin.commit(files),
    down: async () => {
      isDown = true;
      origin.down();
    },
    up: async () => {
      if (isDown) origin.up();
      isDown = false;
    },
    source: (options) => gitSource({ ...options, url: origin.path, env: GIT_ENV }),
    close: async () => {},
  };
});
