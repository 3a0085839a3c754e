/** `skillgate serve`: an MCP server on stdin and stdout, or over HTTP on this machine. */

import { setTimeout } from 'node:timers/promises';
import type { McpServerFactory } from '@modelcontextprotocol/server';
import { watchRoots } from '../../catalog/watch.ts';
import type { Library } from '../../gateway/library.ts';
import { gatewaysFor } from '../../gateway/policy/gateways.ts';
import type { Policy } from '../../gateway/policy/policy.ts';
import type { Principal } from '../../gateway/principal.ts';
import type { Scripts } from '../../gateway/scripts/scripts.ts';
import { withTools } from '../../gateway/tools/with-tools.ts';
import type { Progress } from '../../indexing/report.ts';
import { ChangeBus } from '../../mcp/change-bus.ts';
import { dialects } from '../../mcp/dialects.ts';
import { mcpServerFactory } from '../../mcp/server.ts';
import { PROFILES, type ProfileName, profileWithScripts } from '../../mcp/tools/profiles.ts';
import type { HttpOptions } from '../../transports/http.ts';
import { ListenError, type ListenErrorCode } from '../../transports/listening.ts';
import { serveOverStdio } from '../../transports/stdio.ts';
import { optimise, startCold, stayYoung } from '../engine.ts';
import { CliError, EXIT } from '../exit-codes.ts';
import { fetchBeforeFirstIndex, followSources } from '../freshness.ts';
import { say } from '../output.ts';
import { policyOf } from '../policy.ts';
import type { ScriptHooks } from '../scripts.ts';
import { httpOptionsOf } from '../serving.ts';
import { openLibrary } from '../session.ts';
import { type CommonOptions, isThere, type Settings, settingsOf, surroundings } from '../settings.ts';
import { openSources } from '../sources.ts';
import { openTelemetry } from '../telemetry.ts';
import { openToolbox, profileWithTools } from '../toolbox.ts';
import { warming } from '../warming.ts';

/** The watch begins this long after the library is open, ms: until then the first question is being answered. */
const WATCH_AFTER_MS = 1_000;

export interface ServeOptions extends CommonOptions {
  readonly http?: boolean;
  readonly port?: number;
  readonly host?: string;
  readonly tools: ProfileName;
  /** False for --no-drafts. */
  readonly drafts: boolean;
}

export async function serve(options: ServeOptions, version: string): Promise<void> {
  startCold();
  if (options.http !== true) stayYoung();
  if (options.http !== true && (options.port !== undefined || options.host !== undefined))
    throw new CliError(EXIT.usage, '--port and --host belong to --http.');
  const settings = await settingsOf(options, surroundings());
  const log = settings.config.telemetry.log === 'silent' ? () => {} : say;
  const policy = policyOf(settings.config);
  if (!settings.sources.some(isThere))
    log(
      'There are no skill folders yet, here or at home: .claude/skills and .agents/skills are served once they are made; --skills DIR names others.',
    );
  const telemetry = await openTelemetry({
    config: settings.config.telemetry,
    version,
    log,
    catalog: async () => (notReady() === null ? held(await opened) : null),
    sources: () => sources.fetched.map((source) => source.status()),
    overHttp: options.http === true,
  });
  const sources = await openSources(settings, surroundings());
  const ending = new AbortController();
  const indexing = broadcast<Progress>();
  indexing.listen(optimise);
  const opened = fetchBeforeFirstIndex(sources, settings, log, ending.signal).then(() =>
    openLibrary(settings, { log, onProgress: indexing.tell, sources: sources.all, besides: true }),
  );
  const following = opened.then((library) => followSources(sources, library, log));
  following.catch(() => {});
  const paths = settings.roots.map(({ root }) => root);
  // Before the warming: whoever comes first is told that a watch comes.
  const watching = opened.then((library) => watch(library, paths, log, ending.signal));
  // Failures surface with the first call that needs the library; until then they must not end the process.
  watching.catch(() => {});
  const notReady = warming(opened, { log, signal: ending.signal });
  const gateways = opened.then((library) => gatewaysFor(library, policy));
  gateways.catch(() => {});
  const toolbox = openToolbox(sources.all, settings, (principal, server, tool) =>
    policy.grantsOf(principal).mayCall(server, tool),
  );
  const gateway = async (principal: Principal) =>
    telemetry.watched(withTools((await gateways)(principal), principal, toolbox), principal);
  const scripts = scriptsOf(settings, policy, opened, (record) => telemetry.script(record));
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
    extensions: dialects({
      profile,
      drafts: options.drafts,
      scripts: scripts && (() => scripts),
      log,
    }),
    onIndexing: indexing.listen,
    hearsIndexing: (principal) => policy.grantsOf(principal).everything,
    onToolCall: (call) => {
      optimise();
      telemetry.metrics?.toolCall(call);
    },
  });
  try {
    if (options.http === true)
      await overHttp(factory, {
        ...httpOptionsOf(settings.config, options),
        log,
        notReady,
        metrics: telemetry.metrics,
        traces: telemetry.traces,
        onAccess: telemetry.access,
        onListening: (url) => log(`MCP is served at ${url}`),
        limitsOf: (principal) => policy.grantsOf(principal).limits,
        changes: new ChangeBus(gateway),
      });
    else await serveOverStdio(factory, { log });
  } finally {
    ending.abort();
    await (await following.catch(() => null))?.();
    await (await scripts?.catch(() => null))?.close();
    // First the library: a run under way is given up, what it has finished is taken up by the next one.
    await (await opened.catch(() => null))?.close();
    const stop = await watching.catch(() => null);
    stop?.();
    await sources.close();
    await telemetry.close();
  }
}

/** Undefined where they are switched off: then nothing speaks of them. */
function scriptsOf(
  { config }: Settings,
  policy: Policy,
  opened: Promise<Library>,
  audit: NonNullable<ScriptHooks['audit']>,
): Promise<Scripts> | undefined {
  if (!config.scripts.enabled) return undefined;
  const scripts = opened.then(async (library) => {
    const { openScriptsFor } = await import('../scripts.ts');
    return openScriptsFor(config, library, policy, surroundings(), { audit });
  });
  scripts.catch(() => {});
  return scripts;
}

async function overHttp(factory: McpServerFactory, options: HttpOptions): Promise<void> {
  // A service is told so to look at its files again, and must not end where there are none; a terminal that closes
  // ends what was started in it.
  if (process.stderr.isTTY !== true) process.on('SIGHUP', () => {});
  const { serveOverHttp } = await import('../../transports/http.ts');
  try {
    await serveOverHttp(factory, options);
  } catch (error) {
    if (!(error instanceof ListenError)) throw error;
    throw new CliError(WRONG_USAGE.has(error.code) ? EXIT.usage : EXIT.failed, error.message, error);
  }
}

const WRONG_USAGE = new Set<ListenErrorCode>(['HOST_PUBLIC', 'PORT_INVALID', 'CERTIFICATE_INVALID']);

/** What the index holds now, for who reads the metrics. */
async function held(library: Library) {
  const { reader } = await library.current();
  return { generation: reader.manifest.generation, skills: reader.documents, watched: library.isWatched };
}

/** One teller, any number of listeners that come and go. */
function broadcast<Value>() {
  const listeners = new Set<(value: Value) => void>();
  return {
    tell(value: Value): void {
      for (const listener of listeners) listener(value);
    },
    listen(listener: (value: Value) => void): () => void {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** Watches the folders, whether or not there is an index yet. Returns how to stop. */
async function watch(
  library: Library,
  paths: readonly string[],
  log: (message: string) => void,
  ending: AbortSignal,
): Promise<() => void> {
  if (paths.length === 0) return () => {};
  library.watchComes();
  await setTimeout(WATCH_AFTER_MS, undefined, { signal: ending });
  let lost = false;
  const watcher = await watchRoots(paths, {
    onChange: (changed) => library.notice(changed),
    onEnd(error) {
      lost = true;
      library.watched(false);
      log(
        `The skill folders are not watched: ${error.message} They are looked at between calls, so a change in a large catalog is found later.`,
      );
    },
  });
  if (!lost) library.watched();
  return () => watcher.close();
}
