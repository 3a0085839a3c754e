/** A git repository as the origin of the contract suite. */

import { gitSource } from '../../../../src/sources/git.ts';
import type { OriginDouble } from '../../../contracts/fetched-source.ts';
import { GIT_ENV, type Repository } from './repository.ts';

export function double(origin: Repository, more: Partial<OriginDouble>): OriginDouble {
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
    ...more,
  };
}
