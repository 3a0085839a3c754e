/** A shared catalog for a program that uses skillgate as a library: it reads what gateways publish, and never writes. */

import type { Opening } from '../../../src/app/extension.ts';
import { policyOf } from '../../../src/app/open-policy.ts';
import type { ProcessEnvironment, Settings } from '../../../src/app/settings.ts';
import { openSharedCatalog } from './open-shared-catalog.ts';
import type { StoreConfig } from './open-store.ts';
import { openSharedState } from './shared-state.ts';

/** Rejects where the store shares the policy, and it cannot be read. */
export async function openReader(
  settings: Settings,
  config: StoreConfig,
  environment: Pick<ProcessEnvironment, 'env'>,
  log: (message: string) => void,
): Promise<Opening> {
  // The program authenticates its callers itself; what they may see is decided for all gateways.
  const shared = config.shares.includes('policy')
    ? await openSharedState({ ...config, shares: ['policy'] }, environment, log)
    : null;
  const policy = shared?.policy ?? policyOf(settings.config);
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
