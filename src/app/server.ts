/** Builds a running MCP server from settings: sources, library, policy, telemetry, tools and scripts, over one transport. */

import { isDeepStrictEqual } from 'node:util';
import type { McpServerFactory } from '@modelcontextprotocol/server';
import type { SharedState } from '../../extensions/postgres/gateway/shared-state.ts';
import { messageOf } from '../base/errors.ts';
import type { Progress } from '../catalog/indexing/report.ts';
import type { ServedLibrary } from '../catalog/library.ts';
import type { Principal } from '../gateway/policy/principal.ts';
import { withTools } from '../gateway/tools/with-tools.ts';
import { ChangeBus } from '../mcp/change-bus.ts';
import { clientRoots } from '../mcp/client-roots.ts';
import { serverExtensions } from '../mcp/extensions.ts';
import { mcpServerFactory } from '../mcp/server.ts';
import type { Answers } from '../mcp/tool.ts';
import { PROFILES, type ProfileName, profileWithScripts } from '../mcp/tools/profiles.ts';
import { currentRequestId } from '../mcp/warnings.ts';
import type { HttpOptions } from '../serve/http/http.ts';
import { serveOverStdio } from '../serve/stdio/stdio.ts';
import { sha256Of } from '../skills/digest.ts';
import { textOf } from './config/files.ts';
import { type HttpFlags, httpOptionsOf } from './http-options.ts';
import { requireVectors } from './model.ts';
import { type CatalogOptions, type OpenCatalog, openCatalog, staleNote } from './open-catalog.ts';
import { policyOf } from './open-policy.ts';
import { openTelemetry } from './open-telemetry.ts';
import { openToolbox, profileWithTools } from './open-toolbox.ts';
import { type ProcessEnvironment, type Settings, settingsOfProjects } from './settings.ts';

export interface ServerOptions {
  readonly settings: Settings;
  readonly environment: ProcessEnvironment;
  readonly version: string;
  readonly log: (message: string) => void;
  readonly tools: ProfileName;
  /** Whether answers also have structured content. */
  readonly answers: Answers;
  /** Offer the older drafts of skills methods. */
  readonly drafts: boolean;
  /** Serve over HTTP; null for stdio. */
  readonly http: HttpFlags | null;
}

/** Resolves when the transport ends. Rejects with `AppError` or `ListenError`. */
export async function runServer(options: ServerOptions): Promise<void> {
  const { settings, environment, version, log } = options;
  await requireVectors(settings);
  const shared = await sharedStateOf(options);
  const policy = shared?.policy ?? policyOf(settings.config);
  const telemetry = await openTelemetry({
    config: settings.config.telemetry,
    version,
    log,
    catalog: async () => {
      const { notReady, opened } = await catalog;
      return notReady() === null ? contentsOf(await opened) : null;
    },
    sources: () => sources.fetched.map((source) => source.status()),
    staleMs: settings.config.store === undefined ? undefined : () => first.staleMs?.() ?? 0,
    overHttp: options.http !== null,
    sharedAudit: shared?.openAudit,
    requestId: currentRequestId,
  });
  telemetry.event({ event: 'start', version, config: configHash(settings) });
  const indexing = broadcast<Progress>();
  const opening = {
    environment,
    policy,
    log,
    onProgress: indexing.notify,
    audit: (record: Parameters<typeof telemetry.script>[0]) => telemetry.script(record),
    onSource: telemetry.event,
  };
  const first = await openAny(settings, opening);
  const { sources } = first;
  let catalog: Promise<OpenCatalog> = Promise.resolve(first);
  const toolbox = openToolbox(sources.all, settings, (principal, server, tool) =>
    policy.grantsOf(principal).mayCall(server, tool),
  );
  const gateway = async (principal: Principal) =>
    telemetry.observed(withTools(await (await catalog).gateway(principal), principal, toolbox), principal);
  const scripts = first.scripts === undefined ? undefined : async () => openScriptsOf(await catalog);
  const profile = profileWithTools(
    scripts === undefined
      ? PROFILES[options.tools]
      : profileWithScripts(options.tools, scripts, settings.config.scripts.domains.length > 0),
    settings,
  );
  const roots = clientRoots((asked) => {
    catalog = catalogOfClient(catalog, asked, options, opening);
  });
  const factory = mcpServerFactory({
    gateway,
    version,
    log,
    profile,
    answers: options.answers,
    extensions: [
      ...(options.http === null ? [roots] : []),
      ...serverExtensions({ profile, drafts: options.drafts, scripts, log }),
    ],
    onIndexing: indexing.listen,
    seesIndexing: (principal) => policy.grantsOf(principal).everything,
    onToolCall: (call) => telemetry.metrics?.toolCall(call),
  });
  const pageOf = async () => {
    const { openPage, visible } = await import('../../extensions/explore/open.ts');
    return openPage({
      settings,
      version,
      log,
      visitor: async (principal) => ({
        principal,
        gateway: await gateway(principal),
        observe: telemetry.observe,
        ...visible(await (await catalog).opened, policy.grantsOf(principal)),
      }),
    });
  };
  try {
    if (options.http === null) await serveOverStdio(factory, { log });
    else
      await overHttp(factory, {
        ...httpOptionsOf(settings.config, options.http),
        ...(shared?.tokens === undefined ? {} : { auth: { ...settings.config.auth, tokens: shared.tokens } }),
        counter: shared?.usage.counter.bind(shared.usage),
        log,
        notReady: first.notReady,
        warning: () => {
          const staleMs = first.staleMs?.() ?? 0;
          return staleMs === 0 ? null : staleNote(staleMs);
        },
        metrics: telemetry.metrics,
        traces: telemetry.traces,
        onAccess: telemetry.access,
        onListening: (url) => log(`MCP is served at ${url}`),
        page: settings.config.http.explore ? await pageOf() : null,
        limitsOf: (principal) => policy.grantsOf(principal).limits,
        changes: new ChangeBus(gateway),
      });
  } finally {
    await (await catalog).close();
    await telemetry.close();
    await shared?.close();
  }
}

/** What the gateways of a database share besides the catalog; null without one. */
async function sharedStateOf({ settings, environment, log }: ServerOptions): Promise<SharedState | null> {
  const { store } = settings.config;
  if (store === undefined) return null;
  const { openSharedState } = await import('../../extensions/postgres/gateway/shared-state.ts');
  return openSharedState(store, environment, log);
}

/** Only servers that share their catalog load the code for it. */
async function openAny(settings: Settings, opening: CatalogOptions): Promise<OpenCatalog> {
  const { store } = settings.config;
  if (store === undefined) return openCatalog(settings, opening);
  const { openSharedCatalog } = await import('../../extensions/postgres/gateway/open-shared-catalog.ts');
  return openSharedCatalog(settings, store, opening);
}

/** SHA-256 of the configuration file; null without one. */
function configHash({ configFile }: Settings): string | null {
  return configFile === null ? null : sha256Of(Buffer.from(textOf(configFile)));
}

/** The catalog of the client's folders where none are named, else the one before. Never rejects. */
async function catalogOfClient(
  before: Promise<OpenCatalog>,
  asked: Promise<readonly string[]>,
  { settings, environment, log }: ServerOptions,
  opening: CatalogOptions,
): Promise<OpenCatalog> {
  // Both at once: a rejection that nobody awaits yet would end the process.
  const [old, folders] = await Promise.all([before, asked.catch(messageOf)]);
  if (typeof folders === 'string') {
    log(`The client did not name its folders: ${folders}`);
    return old;
  }
  const own = settingsOfProjects(settings, folders, environment);
  if (own === null || isDeepStrictEqual(own.roots, old.settings.roots)) return old;
  const next = await openAny(own, opening);
  await old.close();
  return next;
}

const openScriptsOf = ({ scripts }: OpenCatalog) =>
  scripts ?? Promise.reject(new Error('Scripts are enabled, and the catalog has none.'));

async function overHttp(factory: McpServerFactory, options: HttpOptions): Promise<void> {
  // SIGHUP asks a service to read its files again, and must not end a service without such files. A closing terminal
  // ends the programs that it started.
  if (process.stderr.isTTY !== true) process.on('SIGHUP', () => {});
  const { serveOverHttp } = await import('../serve/http/http.ts');
  await serveOverHttp(factory, options);
}

/** What the index holds now, for metrics. */
async function contentsOf(library: ServedLibrary) {
  const { reader } = await library.current();
  return { generation: reader.manifest.generation, skills: reader.documents, watched: library.isWatched };
}

/** One sender, any number of listeners. */
function broadcast<Value>() {
  const listeners = new Set<(value: Value) => void>();
  return {
    notify(value: Value): void {
      for (const listener of listeners) listener(value);
    },
    listen(listener: (value: Value) => void): () => void {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
