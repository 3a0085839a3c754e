/** Builds a running MCP server from settings: sources, library, policy, telemetry, tools and scripts, over one transport. */

import type { McpServerFactory } from '@modelcontextprotocol/server';
import { indexDirectory } from '../catalog/index-directory.ts';
import type { Progress } from '../catalog/indexing/report.ts';
import { readSummary } from '../catalog/stored-summary.ts';
import type { CatalogSummary } from '../catalog/summary.ts';
import { compilePolicy } from '../gateway/policy/policy.ts';
import { ChangeBus } from '../mcp/changes.ts';
import { clientRoots } from '../mcp/client-roots.ts';
import { mcpServerFactory } from '../mcp/server.ts';
import type { Answers } from '../mcp/tool.ts';
import { currentRequestId } from '../mcp/warnings.ts';
import type { HttpFlags, HttpServing } from '../serve/http.ts';
import { serveOverStdio } from '../serve/stdio/stdio.ts';
import { hashBytes } from '../skills/digest.ts';
import { AppError } from './app-error.ts';
import { readConfigFile } from './config/files.ts';
import type { ProcessEnvironment } from './configured.ts';
import { CurrentCatalog } from './current-catalog.ts';
import type { PageOptions } from './extension-api.ts';
import { fromExtension, fromExtensions } from './load-extensions.ts';
import { staleNote } from './open-catalog.ts';
import { openTelemetry } from './open-telemetry.ts';
import { requireVectors } from './require-vectors.ts';
import { openToolbox, profileNamed, profileWithTools, serverFeatures } from './server-tools.ts';
import type { Settings } from './settings.ts';

export interface ServerOptions {
  readonly settings: Settings;
  readonly environment: ProcessEnvironment;
  readonly version: string;
  readonly log: (message: string) => void;
  /** Name of the tool profile. */
  readonly tools: string;
  /** Whether answers also have structured content. */
  readonly answers: Answers | 'auto';
  /** Longest answer with the text of a skill, characters; undefined: by the client. */
  readonly maxCharacters: number | undefined;
  /** Offer the older drafts of skills methods. */
  readonly drafts: boolean;
  /** Serve over HTTP; null for stdio. */
  readonly http: HttpFlags | null;
}

/** Resolves when the transport ends. Rejects with `AppError`. */
export async function runServer(options: ServerOptions): Promise<void> {
  const parts = await openParts(options);
  const { current, telemetry, shared, reporting } = parts;
  const factory = await openFactory(parts, options);
  try {
    if (options.http === null) await overStdio(factory, parts, options);
    else await overHttp(factory, options.http, parts, options);
  } finally {
    await reporting;
    await current.close();
    await telemetry.close();
    await shared?.close();
  }
}

type Parts = Awaited<ReturnType<typeof openParts>>;

/** What answers calls, before any protocol. */
async function openParts({ settings, environment, version, log, http }: ServerOptions) {
  const { config } = settings;
  await requireVectors(settings);
  const shared = await (await fromExtension('shared', settings))?.state(settings, environment, log);
  const policy = shared?.policy ?? compilePolicy(config.policy);
  const indexing = broadcast<Progress>();
  const current = new CurrentCatalog(settings, environment);
  const telemetry = await openTelemetry({
    config: config.telemetry,
    version,
    log,
    catalog: current.contents,
    sources: current.sourceStatus,
    changes: current.changes,
    staleMs: config.store === undefined ? undefined : current.staleMs,
    rights: shared?.rights,
    overHttp: http !== null,
    sharedAudit: shared?.openAudit,
    requestId: currentRequestId,
  });
  telemetry.event({ event: 'start', version, config: configHash(settings) });
  // What is pinned is in the instructions, so these need the catalog.
  const opening = http === null && config.pinned.length === 0 ? late() : null;
  const { sources, notReady } = await current.open({
    environment,
    policy,
    log,
    ...(opening !== null && { begin: opening.begun }),
    onProgress: indexing.notify,
    audit: telemetry.script,
    onSource: telemetry.event,
  });
  const reporting = config.pinned.length > 0 ? reportPins(current, log) : null;
  const toolbox = openToolbox(sources.all, settings, (principal, server, tool) =>
    policy.grantsOf(principal).mayCall(server, tool),
  );
  const gateway = telemetry.served(current.gateway, toolbox);
  return { shared, policy, indexing, current, telemetry, opening, notReady, reporting, gateway };
}

/** Makes an MCP server for each connection. */
async function openFactory(
  { policy, indexing, current, telemetry, opening, gateway }: Parts,
  options: ServerOptions,
): Promise<McpServerFactory> {
  const { settings, version, log, http, drafts } = options;
  const { config, extensions } = settings;
  const runner = config.scripts.enabled ? await fromExtension('scripts', settings) : undefined;
  const scripts = runner?.tools(current.scripts, config);
  const features = http === null ? await fromExtensions('feature', settings) : [];
  const profile = await profileWithTools(await profileNamed(options.tools, extensions, scripts), settings);
  return mcpServerFactory({
    gateway(principal) {
      opening?.begin();
      return gateway(principal);
    },
    opening: opening?.begun,
    // The stored summary knows nothing of a policy.
    known: opening === null || policy.restricts ? undefined : readLastSummary(settings),
    version,
    log,
    profile,
    answers: options.answers,
    maxCharacters: options.maxCharacters,
    features: [
      ...(http === null ? [clientRoots((asked) => current.useFolders(asked))] : []),
      ...(scripts === undefined ? [] : [scripts.outputs]),
      ...serverFeatures({ profile, scripts, drafts, extensions, log }),
      ...features.map((open) => open({ catalog: current.now })),
    ],
    onIndexing: indexing.listen,
    seesIndexing: (principal) => policy.grantsOf(principal).everything,
    onToolCall: (call) => telemetry.metrics?.toolCall(call),
  });
}

const overStdio = (factory: McpServerFactory, { opening }: Parts, { log }: ServerOptions) =>
  serveOverStdio(
    (context) => {
      if (opening !== null) setTimeout(opening.begin, OPEN_AFTER_MS).unref();
      return factory(context);
    },
    { log },
  );

async function httpServing(
  { shared, policy, current, telemetry, notReady, gateway }: Parts,
  { settings, version, log }: ServerOptions,
): Promise<HttpServing> {
  const openPages = await fromExtensions('page', settings);
  const visitor: PageOptions['visitor'] = async (principal) => ({
    principal,
    gateway: await current.gateway(principal),
    library: await current.library(),
    grants: policy.grantsOf(principal),
    observe: telemetry.observe,
  });
  return {
    tokens: shared?.tokens,
    counter: shared?.counter,
    log,
    notReady,
    refusal: shared?.rights?.refusal,
    folderChanges: current.changes,
    warning: () => (current.staleMs() === 0 ? null : staleNote(current.staleMs())),
    metrics: telemetry.metrics,
    traces: telemetry.traces,
    onAccess: telemetry.access,
    onEnding: current.retire,
    onListening: (url) => log(`MCP is served at ${url}`),
    pages: openPages.map((open) => open({ settings, version, log, visitor, served: gateway })),
    callsPerMinuteOf: (principal) => policy.grantsOf(principal).callsPerMinute,
    changes: new ChangeBus(gateway),
  };
}

/**
 * Time between a client's first message and the opening of the catalog, ms, unless a call needs it earlier: hosts send their
 * first prompt without the tools of a server that takes longer than about a second to list them.
 */
const OPEN_AFTER_MS = 500;

/** `begin` resolves `begun`. */
function late() {
  let begin = () => {};
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  return { begun, begin };
}

/** The summary that the last server or command left; null without one. */
function readLastSummary({ indexFolder }: Settings): CatalogSummary | null {
  const { summary, pins = [] } = readSummary(indexDirectory(indexFolder)) ?? {};
  // Skills may have been added to an empty catalog since.
  return summary === undefined || summary.skills === 0 || pins.length > 0 ? null : summary;
}

/** Logs what is pinned and not there. Never rejects: what cannot be opened is reported by the calls. */
async function reportPins(current: CurrentCatalog, log: (message: string) => void): Promise<void> {
  try {
    const library = await current.library();
    const { openGateway } = await import('../gateway/pipeline.ts');
    const { pinned } = await openGateway(library).summary({ atOnce: true });
    for (const problem of pinned?.problems ?? []) log(problem);
  } catch {}
}

/** SHA-256 of the configuration file; null without one. */
function configHash({ configFile }: Settings): string | null {
  return configFile === null ? null : hashBytes(Buffer.from(readConfigFile(configFile)));
}

async function overHttp(
  factory: McpServerFactory,
  flags: HttpFlags,
  parts: Parts,
  options: ServerOptions,
): Promise<void> {
  const { settings } = options;
  // SIGHUP asks a service to read its files again, and must not end a service without such files. A closing terminal
  // ends the programs that it started.
  if (process.stderr.isTTY !== true) process.on('SIGHUP', () => {});
  const http = await fromExtension('http', settings);
  if (http === undefined) throw new AppError('SETTING_INVALID', 'This program has no HTTP.');
  await http.serve(factory, settings.config, { flags, ...(await httpServing(parts, options)) });
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
