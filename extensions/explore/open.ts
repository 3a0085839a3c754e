/** Builds the local page from settings: an open catalog as for a server, its explorer, and a server on loopback. */

import { join } from 'node:path';
import { AppError } from '../../src/app/app-error.ts';
import type { ProcessEnvironment } from '../../src/app/configured.ts';
import type { Page, PageOptions, Settings } from '../../src/app/extension-api.ts';
import { modelsFolder } from '../../src/app/model.ts';
import { openCatalog } from '../../src/app/open-catalog.ts';
import { openCommandAudit } from '../../src/app/open-telemetry.ts';
import { packageRoot, threadScript } from '../../src/app/package-root.ts';
import { indexDirectory } from '../../src/catalog/index-directory.ts';
import { compilePolicy } from '../../src/gateway/policy/policy.ts';
import { viewFor } from '../../src/gateway/view.ts';
import { type ExplorerOptions, openExplorer } from './explorer.ts';
import { queriesIn } from './requests.ts';
import { PAGE_HEADERS, readFiles, redirect, sentAnswer, sentFile } from './sent.ts';
import { HOST, keepAddress, readAddress, serveExplorer } from './server.ts';
import { performHere, performInThread } from './work.ts';

/** Where an HTTP server has it. */
const PATH = '/explore';

export interface ExploreOptions {
  readonly settings: Settings;
  readonly environment: ProcessEnvironment;
  /** 0 for any free port. */
  readonly port: number;
  /** Has the same port and token as last time. */
  readonly keep: boolean;
  readonly log: (message: string) => void;
}

/** A page that is served. */
interface OpenPage {
  /** With the token. */
  readonly url: string;
  /** Leads there once, without the token. */
  readonly urlOnce: string;
  close(): Promise<void>;
}

/** Opens while the first requests arrive. Rejects with `SETTING_INVALID` where the page is not built or the port is taken. */
export async function openExplore(options: ExploreOptions): Promise<OpenPage> {
  const { keep, settings } = options;
  const { indexFolder } = settings;
  const kept = keep ? readAddress(indexFolder) : null;
  const port = options.port === 0 ? (kept?.port ?? 0) : options.port;
  const { explorer, files, close } = await openOwnCatalog(options);
  const server = await serveExplorer({ explorer, files, port, token: kept?.token }).catch(
    async (cause: unknown) => {
      await close();
      throw new AppError('SETTING_INVALID', `Port ${port} cannot be used: choose another one with --port.`, {
        cause,
      });
    },
  );
  const url = `http://${HOST}:${server.port}/#${keep ? 'kept-' : ''}token=${server.token}`;
  if (keep) keepAddress(indexFolder, { port: server.port, token: server.token });
  return {
    url,
    urlOnce: server.urlOnce(url),
    async close() {
      await server.close();
      await close();
    },
  };
}

async function openOwnCatalog({ settings, environment, log }: ExploreOptions) {
  const { config } = settings;
  const policy = compilePolicy(config.policy);
  let indexing: number | null = null;
  // Before anything is opened that would have to be closed.
  const page = openPage({
    settings,
    log,
    indexing: () => indexing,
    async visitor(principal) {
      return {
        principal,
        gateway: await catalog.gateway(principal),
        observe: audit?.observe,
        library: await catalog.opened,
        grants: policy.grantsOf(principal),
      };
    },
  });
  const audit = await openCommandAudit(config.telemetry, log);
  const catalog = await openCatalog(settings, {
    environment,
    policy,
    log,
    onProgress({ done, total }) {
      indexing = done < total ? done / total : null;
    },
    audit: () => {},
    onSource: () => {},
  });
  return {
    ...page,
    async close() {
      await catalog.close();
      await audit?.close();
    },
  };
}

/** For the callers of an HTTP server. Throws `SETTING_INVALID` where the page is not built. */
export function pageFor(options: PageOptions): Page {
  const { explorer, files } = openPage(options);
  return {
    path: PATH,
    headers: PAGE_HEADERS,
    // Relative addresses of the page need the slash.
    file: (path, { headers }) =>
      path === PATH ? redirect(`${PATH.slice(1)}/`) : sentFile(files, path.slice(PATH.length + 1), headers),
    callsOf: queriesIn,
    async answer(name, request, principal, { headers }) {
      const { status, body } = await explorer.answer(name, request, principal);
      return sentAnswer(status, body, headers);
    },
    refusal: (_, error) => ({ error }),
  };
}

function openPage({
  settings,
  log,
  visitor,
  indexing,
}: Omit<PageOptions, 'served' | 'version'> & Pick<ExplorerOptions, 'indexing'>) {
  const explorer = openExplorer({
    log,
    indexing,
    fetchedIn: settings.cacheFolder,
    async visitor(principal) {
      const { library, grants, ...own } = await visitor(principal);
      return { ...own, view: viewFor(library, grants), everything: grants.everything };
    },
    auditFile: findAuditFile(settings.config),
    directory: indexDirectory(settings.indexFolder),
    perform: performer(settings),
  });
  return { explorer, files: builtPage() };
}

/** Standard error cannot be read back. */
const findAuditFile = ({ telemetry: { audit } }: Settings['config']) =>
  audit === undefined || audit === 'stderr' ? null : audit;

/** In a thread where it is built. */
function performer({ indexFolder, cacheFolder, embedder, vectors }: Settings) {
  const script = threadScript('explore-worker.js');
  if (script === null) return performHere;
  const setting = { indexFolder, cacheFolder, embedder, vectors, modelsFolder: modelsFolder() };
  return performInThread(script, setting);
}

function builtPage() {
  try {
    return readFiles(join(packageRoot(), 'dist', 'explore'));
  } catch (cause) {
    throw new AppError('SETTING_INVALID', 'The page is not built: run npm run build in the checkout.', {
      cause,
    });
  }
}
