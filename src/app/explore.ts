/** Builds the local page from settings: an open catalog as for a server, its explorer, and a server on loopback. */

import { join } from 'node:path';
import { diskDirectory } from '#index';
import {
  type ExploreServer,
  openExplorer,
  performHere,
  performInThread,
  readAssets,
  serveExplorer,
} from '../explore/public.ts';
import { viewFor } from '../gateway/public.ts';
import { AppError } from './app-error.ts';
import { openCatalog } from './open-catalog.ts';
import { policyOf } from './open-policy.ts';
import { openCommandAudit } from './open-telemetry.ts';
import { packageRoot } from './package-root.ts';
import type { ProcessEnvironment, Settings } from './settings.ts';

export interface ExploreOptions {
  readonly settings: Settings;
  readonly environment: ProcessEnvironment;
  readonly version: string;
  /** 0 for any free port. */
  readonly port: number;
  readonly log: (message: string) => void;
}

/** Opens while the first requests arrive. Rejects with `SETTING_INVALID` where the page is not built or the port is taken. */
export async function openExplore(options: ExploreOptions): Promise<ExploreServer> {
  const { settings, environment, version, port, log } = options;
  const { config } = settings;
  const policy = policyOf(config);
  const assets = builtPage();
  const audit = await openCommandAudit(config.telemetry, log);
  const catalog = await openCatalog(settings, {
    environment,
    policy,
    log,
    onProgress: () => {},
    audit: () => {},
    onSource: () => {},
  });
  const explorer = openExplorer({
    version,
    log,
    auditFile: auditFileOf(config),
    directory: diskDirectory(settings.indexFolder),
    perform: performer(settings),
    async visitor(principal) {
      const own = await catalog.gateway(principal);
      const grants = policy.grantsOf(principal);
      return {
        principal,
        gateway: audit?.observed(own, principal) ?? own,
        view: viewFor(await catalog.opened, grants),
        everything: grants.everything,
      };
    },
  });
  const close = async () => {
    await catalog.close();
    await audit?.close();
  };
  const server = await serveExplorer({ explorer, assets, port }).catch(async (cause: unknown) => {
    await close();
    throw new AppError('SETTING_INVALID', `Port ${port} cannot be used: choose another one with --port.`, {
      cause,
    });
  });
  return {
    url: server.url,
    async close() {
      await server.close();
      await close();
    },
  };
}

/** Standard error cannot be read back. */
const auditFileOf = ({ telemetry: { audit } }: Settings['config']) =>
  audit === undefined || audit === 'stderr' ? null : audit;

/** In a thread where it is built. */
function performer({ indexFolder, cacheFolder, embedder, vectors }: Settings) {
  if (!import.meta.url.endsWith('.js')) return performHere;
  const modelsFolder = join(packageRoot(), 'models');
  const setting = { indexFolder, cacheFolder, embedder, vectors, modelsFolder };
  return performInThread(new URL('./explore-worker.js', import.meta.url), setting);
}

function builtPage() {
  try {
    return readAssets(join(packageRoot(), 'dist', 'explore'));
  } catch (cause) {
    throw new AppError('SETTING_INVALID', 'The page is not built: run npm run build in the checkout.', {
      cause,
    });
  }
}
