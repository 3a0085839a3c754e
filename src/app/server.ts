/** Builds a running MCP server from settings: sources, library, policy, telemetry, tools and scripts, over one transport. */

import { setTimeout } from 'node:timers/promises';
import type { McpServerFactory } from '@modelcontextprotocol/server';
import { watchRoots } from '../catalog/public.ts';
import { gatewaysFor, withTools } from '../gateway/public.ts';
import type { HttpOptions } from '../http/public.ts';
import type { Progress } from '../indexing/public.ts';
import type { Library } from '../library/public.ts';
import {
  type Answers,
  ChangeBus,
  currentRequestId,
  mcpServerFactory,
  PROFILES,
  type ProfileName,
  profileWithScripts,
  serverExtensions,
} from '../mcp/public.ts';
import type { Policy, Principal } from '../policy/public.ts';
import type { Scripts } from '../scripts/public.ts';
import { sha256Of } from '../skills/public.ts';
import { serveOverStdio } from '../stdio/public.ts';
import { textOf } from './config/files.ts';
import { fetchBeforeFirstIndex, followSources } from './freshness.ts';
import { type HttpFlags, httpOptionsOf } from './http-options.ts';
import { openLibrary } from './open-library.ts';
import { policyOf } from './open-policy.ts';
import type { ScriptHooks } from './open-scripts.ts';
import { openSources } from './open-sources.ts';
import { openTelemetry } from './open-telemetry.ts';
import { openToolbox, profileWithTools } from './open-toolbox.ts';
import { isThere, type ProcessEnvironment, type Settings } from './settings.ts';
import { warming } from './warming.ts';

/** Delay of the file watch after the library opens, ms: the first call is answered before. */
const WATCH_AFTER_MS = 1_000;

export interface ServerOptions {
  readonly settings: Settings;
  readonly environment: Pick<ProcessEnvironment, 'env'>;
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
  const policy = policyOf(settings.config);
  if (!settings.sources.some(isThere))
    log(
      'There are no skill folders yet, here or at home. .claude/skills and .agents/skills are served once they exist; --skills DIR names other folders.',
    );
  const telemetry = await openTelemetry({
    config: settings.config.telemetry,
    version,
    log,
    catalog: async () => (notReady() === null ? contentsOf(await opened) : null),
    sources: () => sources.fetched.map((source) => source.status()),
    overHttp: options.http !== null,
    requestId: currentRequestId,
  });
  telemetry.event({ event: 'start', version, config: configHash(settings) });
  const sources = await openSources(settings, environment);
  const ending = new AbortController();
  const indexing = broadcast<Progress>();
  const opened = fetchBeforeFirstIndex(sources, settings, log, ending.signal).then(() =>
    openLibrary(settings, { log, onProgress: indexing.notify, sources: sources.all, inBackground: true }),
  );
  const following = opened.then((library) => followSources(sources, library, log, telemetry.event));
  following.catch(() => {});
  const paths = settings.roots.map(({ root }) => root);
  // Announces the watch to the library before `warming` makes its first call.
  const watching = opened.then((library) => watch(library, paths, log, ending.signal));
  // A failure surfaces with the first call that needs the library; until then it must not end the process.
  watching.catch(() => {});
  const notReady = warming(opened, { log, signal: ending.signal });
  const gateways = opened.then((library) => gatewaysFor(library, policy));
  gateways.catch(() => {});
  const toolbox = openToolbox(sources.all, settings, (principal, server, tool) =>
    policy.grantsOf(principal).mayCall(server, tool),
  );
  const gateway = async (principal: Principal) =>
    telemetry.observed(withTools((await gateways)(principal), principal, toolbox), principal);
  const scripts = scriptsOf(options, policy, opened, (record) => telemetry.script(record));
  const profile = profileWithTools(
    scripts === undefined
      ? PROFILES[options.tools]
      : profileWithScripts(options.tools, () => scripts, settings.config.scripts.domains.length > 0),
    settings,
  );
  const factory = mcpServerFactory({
    gateway,
    version,
    log,
    profile,
    answers: options.answers,
    extensions: serverExtensions({
      profile,
      drafts: options.drafts,
      scripts: scripts && (() => scripts),
      log,
    }),
    onIndexing: indexing.listen,
    seesIndexing: (principal) => policy.grantsOf(principal).everything,
    onToolCall: (call) => telemetry.metrics?.toolCall(call),
  });
  try {
    if (options.http === null) await serveOverStdio(factory, { log });
    else
      await overHttp(factory, {
        ...httpOptionsOf(settings.config, options.http),
        log,
        notReady,
        metrics: telemetry.metrics,
        traces: telemetry.traces,
        onAccess: telemetry.access,
        onListening: (url) => log(`MCP is served at ${url}`),
        limitsOf: (principal) => policy.grantsOf(principal).limits,
        changes: new ChangeBus(gateway),
      });
  } finally {
    ending.abort();
    await (await following.catch(() => null))?.();
    await (await scripts?.catch(() => null))?.close();
    // Closing the library stops a run of indexing; the next run continues with what it finished.
    await (await opened.catch(() => null))?.close();
    const stop = await watching.catch(() => null);
    stop?.();
    await sources.close();
    await telemetry.close();
  }
}

/** SHA-256 of the configuration file; null without one. */
function configHash({ configFile }: Settings): string | null {
  return configFile === null ? null : sha256Of(Buffer.from(textOf(configFile)));
}

/** Undefined where scripts are disabled: then no answer mentions them. */
function scriptsOf(
  { settings: { config }, environment }: ServerOptions,
  policy: Policy,
  opened: Promise<Library>,
  audit: NonNullable<ScriptHooks['audit']>,
): Promise<Scripts> | undefined {
  if (!config.scripts.enabled) return undefined;
  const scripts = opened.then(async (library) => {
    const { openScriptsFor } = await import('./open-scripts.ts');
    return openScriptsFor(config, library, policy, environment, { audit });
  });
  scripts.catch(() => {});
  return scripts;
}

async function overHttp(factory: McpServerFactory, options: HttpOptions): Promise<void> {
  // SIGHUP asks a service to read its files again, and must not end a service without such files. A closing terminal
  // ends the programs that it started.
  if (process.stderr.isTTY !== true) process.on('SIGHUP', () => {});
  const { serveOverHttp } = await import('../http/public.ts');
  await serveOverHttp(factory, options);
}

/** What the index holds now, for metrics. */
async function contentsOf(library: Library) {
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

/** Watches the folders, with or without an index. Returns how to stop. */
async function watch(
  library: Library,
  paths: readonly string[],
  log: (message: string) => void,
  ending: AbortSignal,
): Promise<() => void> {
  if (paths.length === 0) return () => {};
  library.watcherStarting();
  await setTimeout(WATCH_AFTER_MS, undefined, { signal: ending });
  let lost = false;
  const watcher = await watchRoots(paths, {
    onChange: (changed) => library.notice(changed),
    onEnd(error) {
      lost = true;
      library.watcherLost();
      log(
        `The skill folders are not watched: ${error.message} They are checked between calls instead, which finds a change in a large catalog later.`,
      );
    },
  });
  if (!lost) library.watcherReady();
  return () => watcher.close();
}
