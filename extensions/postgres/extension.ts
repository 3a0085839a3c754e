/** One catalog for several gateways, in PostgreSQL. */

import type { ProcessEnvironment } from '../../src/app/configured.ts';
import type { Config, Extension, Opening, Settings } from '../../src/app/extension-api.ts';
import { compilePolicy } from '../../src/gateway/policy/policy.ts';
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

/** Rejects where the store shares the policy, and it cannot be read. */
async function openReader(
  settings: Settings,
  config: StoreConfig,
  environment: Pick<ProcessEnvironment, 'env'>,
  log: (message: string) => void,
): Promise<Opening> {
  // The program authenticates its callers itself; what they may see is decided for all gateways.
  const shared = config.shares.includes('policy')
    ? await openSharedState({ ...config, shares: ['policy'] }, environment, log)
    : null;
  const policy = shared?.policy ?? compilePolicy(settings.config.policy);
  const ignored = () => {};
  const catalog = await openSharedCatalog(
    settings,
    { ...config, role: 'reader' },
    { environment, policy, log, onProgress: ignored, audit: ignored, onSource: ignored },
  );
  return {
    gatewayOf: catalog.gateway,
    async close() {
      await catalog.close();
      await shared?.close();
    },
  };
}
