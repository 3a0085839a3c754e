/** One catalog for several gateways, in PostgreSQL. */

import type { Config } from '../../src/app/config/schema.ts';
import type { Extension } from '../../src/app/extension.ts';
import { openReader } from './gateway/open-reader.ts';
import { openSharedCatalog } from './gateway/open-shared-catalog.ts';
import type { StoreConfig } from './gateway/open-store.ts';
import { openSharedState, withSharedTokens } from './gateway/shared-state.ts';

export const extension: Extension = {
  shared: {
    state: ({ config }, environment, log) => openSharedState(storeOf(config), environment, log),
    catalog: (settings, options) => openSharedCatalog(settings, storeOf(settings.config), options),
    reader: (settings, environment, log) => openReader(settings, storeOf(settings.config), environment, log),
    tokens(config, environment) {
      const store = storeOf(config);
      return store.shares.includes('tokens') ? (use) => withSharedTokens(store, environment, use) : null;
    },
  },
};

function storeOf({ store }: Config): StoreConfig {
  if (store === undefined) throw new Error('The configuration has no store.');
  return store;
}
