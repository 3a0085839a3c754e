/** Builds a running MCP server from settings: sources, library, policy, telemetry, tools and scripts, over one transport. */

import type { McpServerFactory } from '@modelcontextprotocol/server';
import type { Progress } from '../catalog/indexing/report.ts';
import { openGateway } from '../gateway/open.ts';
import { ChangeBus } from '../mcp/changes.ts';
import { clientRoots } from '../mcp/client-roots.ts';
import { mcpServerFactory } from '../mcp/server.ts';
import type { Answers } from '../mcp/tool.ts';
import { currentRequestId } from '../mcp/warnings.ts';
import type { HttpOptions } from '../serve/http/http.ts';
import { serveOverStdio } from '../serve/stdio/stdio.ts';
import { sha256Of } from '../skills/digest.ts';
import { textOf } from './config/files.ts';
import type { ProcessEnvironment } from './configured.ts';
import { CurrentCatalog } from './current-catalog.ts';
import { type HttpFlags, httpOptionsOf } from './http-options.ts';
import { wanted } from './load-extensions.ts';
import { requireVectors } from './model.ts';
import { staleNote } from './open-catalog.ts';
import { policyOf } from './open-policy.ts';
import { openTelemetry } from './open-telemetry.ts';
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
  readonly answers: Answers;
  /** Offer the older drafts of skills methods. */
  readonly drafts: boolean;
  /** Serve over HTTP; null for stdio. */
  readonly http: HttpFlags | null;
}

/** Resolves when the transport ends. Rejects with `AppError` or `ListenError`. */
export async function runServer(options: ServerOptions): Promise<void> {
  const { settings, environment, version, log, http } = options;
  const { config } = settings;
  await requireVectors(settings);
  const shared = await (await wanted('shared', config))?.state(settings, environment, log);
  const policy = shared?.policy ?? policyOf(config);
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
    overHttp: http !== null,
    sharedAudit: shared?.openAudit,
    requestId: currentRequestId,
  });
  telemetry.event({ event: 'start', version, config: configHash(settings) });
  const { sources, notReady } = await current.open({
    environment,
    policy,
    log,
    onProgress: indexing.notify,
    audit: telemetry.script,
    onSource: telemetry.event,
  });
  if (config.pinned.length > 0) void reportPins(current, log);
  const toolbox = openToolbox(sources.all, settings, (principal, server, tool) =>
    policy.grantsOf(principal).mayCall(server, tool),
  );
  const gateway = telemetry.served(current.gateway, toolbox);
  const runner = config.scripts.enabled ? await wanted('scripts', config) : undefined;
  const scripts = runner?.tools(current.scripts, config);
  const profile = profileWithTools(await profileNamed(options.tools, scripts), settings);
  const factory = mcpServerFactory({
    gateway,
    version,
    log,
    profile,
    answers: options.answers,
    features: [
      ...(http === null ? [clientRoots((asked) => current.useFolders(asked))] : []),
      ...(scripts === undefined ? [] : [scripts.outputs]),
      ...serverFeatures({ profile, scripts, drafts: options.drafts, log }),
    ],
    onIndexing: indexing.listen,
    seesIndexing: (principal) => policy.grantsOf(principal).everything,
    onToolCall: (call) => telemetry.metrics?.toolCall(call),
  });
  const openPage = http === null ? undefined : await wanted('page', config);
  try {
    if (http === null) await serveOverStdio(factory, { log });
    else
      await overHttp(factory, {
        ...httpOptionsOf(config, http),
        ...(shared?.tokens !== undefined && { auth: { ...config.auth, tokens: shared.tokens } }),
        counter: shared?.counter,
        log,
        notReady,
        folderChanges: current.changes,
        warning: () => (current.staleMs() === 0 ? null : staleNote(current.staleMs())),
        metrics: telemetry.metrics,
        traces: telemetry.traces,
        onAccess: telemetry.access,
        onListening: (url) => log(`MCP is served at ${url}`),
        page:
          openPage?.({
            settings,
            version,
            log,
            visitor: async (principal) => ({
              principal,
              gateway: await gateway(principal),
              library: await current.library(),
              grants: policy.grantsOf(principal),
              observe: telemetry.observe,
            }),
          }) ?? null,
        callsPerMinuteOf: (principal) => policy.grantsOf(principal).callsPerMinute,
        changes: new ChangeBus(gateway),
      });
  } finally {
    await current.close();
    await telemetry.close();
    await shared?.close();
  }
}

/** Logs what is pinned and not there. Never rejects: what cannot be opened is reported by the calls. */
async function reportPins(current: CurrentCatalog, log: (message: string) => void): Promise<void> {
  try {
    const { pinned } = await openGateway(await current.library()).summary({ atOnce: true });
    for (const problem of pinned?.problems ?? []) log(problem);
  } catch {}
}

/** SHA-256 of the configuration file; null without one. */
function configHash({ configFile }: Settings): string | null {
  return configFile === null ? null : sha256Of(Buffer.from(textOf(configFile)));
}

async function overHttp(factory: McpServerFactory, options: HttpOptions): Promise<void> {
  // SIGHUP asks a service to read its files again, and must not end a service without such files. A closing terminal
  // ends the programs that it started.
  if (process.stderr.isTTY !== true) process.on('SIGHUP', () => {});
  const { serveOverHttp } = await import('../serve/http/http.ts');
  await serveOverHttp(factory, options);
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
