/** Builds the local page from settings: an open catalog as for a server, its explorer, and a server on loopback. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { diskDirectory } from '../../index/directory/disk.ts';
import { AppError } from '../../src/app/app-error.ts';
import type { ProcessEnvironment } from '../../src/app/configured.ts';
import type { PageOptions } from '../../src/app/extension.ts';
import { modelsFolder } from '../../src/app/model.ts';
import { openCatalog } from '../../src/app/open-catalog.ts';
import { policyOf } from '../../src/app/open-policy.ts';
import { openCommandAudit } from '../../src/app/open-telemetry.ts';
import { packageRoot } from '../../src/app/package-root.ts';
import type { Settings } from '../../src/app/settings.ts';
import { viewFor } from '../../src/gateway/gateway-per-grants.ts';
import type { Page } from '../../src/serve/http/settings.ts';
import { type ExplorerOptions, openExplorer } from './explorer.ts';
import { queriesIn } from './requests.ts';
import { PAGE_HEADERS, readFiles, sentAnswer, sentFile } from './sent.ts';
import { HOST, keepAddress, readAddress, serveExplorer } from './server.ts';
import { savingsOn } from './use.ts';
import { performHere, performInThread } from './work.ts';

export interface ExploreOptions {
  readonly settings: Settings;
  readonly environment: ProcessEnvironment;
  readonly version: string;
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
  close(): Promise<void>;
}

/** Opens while the first requests arrive. Rejects with `SETTING_INVALID` where the page is not built or the port is taken. */
export async function openExplore(options: ExploreOptions): Promise<OpenPage> {
  const { environment, version, keep, log } = options;
  const ownLog = auditFileOf(options.settings.config) === null ? temporaryLog() : null;
  const settings = ownLog === null ? options.settings : withAudit(options.settings, ownLog.file);
  const { indexFolder } = settings;
  const kept = keep ? readAddress(indexFolder) : null;
  const port = options.port === 0 ? (kept?.port ?? 0) : options.port;
  const { config } = settings;
  const policy = policyOf(config);
  let indexing: number | null = null;
  // Before anything is opened that would have to be closed.
  const { explorer, files } = openPage({
    settings,
    version,
    log,
    indexing: () => indexing,
    ownOnly: ownLog !== null,
    savings: savingsOn(environment, ownLog === null ? auditFileOf(config) : null),
    async visitor(principal) {
      return {
        principal,
        gateway:
          audit === null ? await catalog.gateway(principal) : await audit.served(catalog.gateway)(principal),
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
  const close = async () => {
    await catalog.close();
    await audit?.close();
    ownLog?.remove();
  };
  const server = await serveExplorer({ explorer, files, port, token: kept?.token }).catch(
    async (cause: unknown) => {
      await close();
      throw new AppError('SETTING_INVALID', `Port ${port} cannot be used: choose another one with --port.`, {
        cause,
      });
    },
  );
  if (keep) keepAddress(indexFolder, { port: server.port, token: server.token });
  return {
    url: `http://${HOST}:${server.port}/#${keep ? 'kept-' : ''}token=${server.token}`,
    async close() {
      await server.close();
      await close();
    },
  };
}

/** For the callers of an HTTP server. Throws `SETTING_INVALID` where the page is not built. */
export function pageFor(options: PageOptions): Page {
  const { explorer, files } = openPage(options);
  return {
    headers: PAGE_HEADERS,
    file: (path, wanted) => sentFile(files, path, wanted),
    callsOf: queriesIn,
    async answer(name, request, principal, wanted) {
      const { status, body } = await explorer.answer(name, request, principal);
      return sentAnswer(status, body, wanted);
    },
  };
}

function openPage({
  settings,
  version,
  log,
  visitor,
  indexing,
  ownOnly,
  savings,
}: PageOptions & Pick<ExplorerOptions, 'indexing' | 'ownOnly' | 'savings'>) {
  const explorer = openExplorer({
    version,
    log,
    indexing,
    ownOnly,
    savings,
    async visitor(principal) {
      const { library, grants, ...own } = await visitor(principal);
      return { ...own, view: viewFor(library, grants), everything: grants.everything };
    },
    auditFile: auditFileOf(settings.config),
    directory: diskDirectory(settings.indexFolder),
    perform: performer(settings),
  });
  return { explorer, files: builtPage() };
}

/** Where no audit log is configured, the calls of this page are kept while it runs, so that Use has something to show. */
function temporaryLog() {
  const folder = mkdtempSync(join(tmpdir(), 'skillgate-explore-'));
  return {
    file: join(folder, 'audit.jsonl'),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

const withAudit = (settings: Settings, audit: string): Settings => ({
  ...settings,
  config: { ...settings.config, telemetry: { ...settings.config.telemetry, audit } },
});

/** Standard error cannot be read back. */
const auditFileOf = ({ telemetry: { audit } }: Settings['config']) =>
  audit === undefined || audit === 'stderr' ? null : audit;

/** In a thread where it is built. */
function performer({ indexFolder, cacheFolder, embedder, vectors }: Settings) {
  if (!import.meta.url.endsWith('.js')) return performHere;
  const setting = { indexFolder, cacheFolder, embedder, vectors, modelsFolder: modelsFolder() };
  return performInThread(new URL('./explore-worker.js', import.meta.url), setting);
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
