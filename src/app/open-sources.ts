/** Opens the configured sources, fetches those that a command needs, and reports stale ones. */

import { refreshAll, staleNote, untilDue } from '../sources/fetched/refresh.ts';
import { type FetchedSource, isFetched } from '../sources/fetched.ts';
import { localSource } from '../sources/local.ts';
import type { Source } from '../sources/source.ts';
import type { OpenSources } from './catalog.ts';
import { DEFAULTS } from './config/defaults.ts';
import type { Config, SourceConfig } from './config/schema.ts';
import { milliseconds } from './config/units.ts';
import type { ProcessEnvironment } from './configured.ts';
import { wanted } from './load-extensions.ts';
import type { Settings } from './settings.ts';
import type { SourceSettings } from './source-settings.ts';

/**
 * Which sources a command fetches: those never fetched, also those that are due, or none. `due` is for commands that
 * update the catalog; they also write the lockfile.
 */
export type Fetching = 'missing' | 'due' | 'none';

/** Rejects with `LOCK_MISMATCH` where sources are frozen and the lockfile does not cover them. */
export async function openSources(
  settings: Pick<Settings, 'sources' | 'lockFile' | 'frozen'> & {
    readonly config: Pick<Config, 'store' | 'refresh'>;
  },
  { env }: Pick<ProcessEnvironment, 'env'>,
): Promise<OpenSources> {
  const now = () => new Date();
  // The lockfile needs the YAML parser, so only frozen sources load it.
  const lockfile = settings.frozen ? await import('./lockfile.ts') : null;
  const lock = lockfile?.readLock(settings.lockFile) ?? {};
  // Other gateways read a shared catalog without the server.
  const fetch = settings.config.store === undefined ? 'instructions' : 'all';
  const refreshMs = milliseconds(settings.config.refresh);
  const all: Source[] = [];
  for (const source of settings.sources) {
    const pinned =
      lockfile !== null && source.config.kind !== 'local' ? lockfile.pinOf(lock, source.name) : null;
    const opened = await openSource(source, { pinned, now, env, refreshMs, fetch });
    if (lockfile !== null && settings.lockFile !== null && isFetched(opened))
      lockfile.checkPin(lock, opened.status(), settings.lockFile);
    all.push(opened);
  }
  const fetched = all.filter(isFetched);
  return {
    all,
    fetched,
    async close() {
      await Promise.allSettled(fetched.map((source) => source.close()));
    },
  };
}

/** Fetches what the command needs, and logs the age of each stale source once. `now` is Unix time in ms. */
export async function fetchFor(
  fetching: Fetching,
  { fetched }: Pick<OpenSources, 'fetched'>,
  settings: Pick<Settings, 'lockFile' | 'frozen' | 'configured'>,
  { now, log, signal }: { now: () => number; log: (message: string) => void; signal?: AbortSignal },
): Promise<void> {
  const chosen = fetched.filter(
    (source) =>
      (fetching !== 'none' && source.status().verifiedAt === null) ||
      (fetching === 'due' && untilDue(source, now()) === 0),
  );
  if (chosen.length > 0) log(`Fetching ${chosen.map(({ name }) => name).join(', ')}.`);
  await refreshAll(chosen, signal);
  if (fetching === 'due') await lockSources(fetched, settings, log);
  for (const source of fetched) {
    const note = staleNote(source.status(), source.refreshMs, now());
    if (note !== null) log(note);
  }
}

/** Writes the lockfile where a source has moved. */
export async function lockSources(
  fetched: readonly FetchedSource[],
  { lockFile, frozen, configured }: Pick<Settings, 'lockFile' | 'frozen' | 'configured'>,
  log: (message: string) => void,
): Promise<void> {
  if (frozen || lockFile === null || fetched.length === 0) return;
  const statuses = fetched.map((source) => source.status());
  const { writeLock } = await import('./lockfile.ts');
  if (writeLock(lockFile, statuses, configured)) log(`Wrote ${lockFile}.`);
}

/** One fetch of a source: what is larger or slower keeps what it has, and says so. */
const FETCH_LIMITS = { timeoutMs: 300_000, maxSkills: 100_000, maxBytes: 2 * 2 ** 30 };

type McpConfig = Extract<SourceConfig, { readonly kind: 'mcp' }>;

interface OpenOptions {
  /** The resolved version of the lockfile where sources are frozen, else null. */
  readonly pinned: string | null;
  readonly now: () => Date;
  /** For the git program: its path, credential helpers and proxies. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** How long fetched contents count as fresh, ms. */
  readonly refreshMs: number;
  /** What MCP servers are asked for ahead, where their source does not say it. Default `instructions`. */
  readonly fetch?: 'instructions' | 'all';
}

export async function openSource(
  { name, config, token, fetchFolder, optional, links, within }: SourceSettings,
  { env: environment, fetch = 'instructions', ...options }: OpenOptions,
): Promise<Source | FetchedSource> {
  if (config.kind === 'local') return localSource({ name, root: config.root, optional, links, within });
  const common = { name, cacheFolder: fetchFolder, ...FETCH_LIMITS, ...options };
  switch (config.kind) {
    case 'git': {
      const { gitSource } = await import('../sources/git.ts');
      const { url, ref, folder, signedBy: signers } = config;
      return gitSource({ ...common, url, env: environment, ref, folder, token, signers });
    }
    case 'archive': {
      const { archiveSource } = await import('../sources/archive.ts');
      const { path, folder, signedBy } = config;
      return archiveSource({ ...common, path, folder, minisign: signedBy?.minisign });
    }
    case 'well-known': {
      const { wellKnownSource } = await import('../sources/well-known.ts');
      const { url, headers, allowPrivate, signedBy } = config;
      return wellKnownSource({ ...common, url, headers, allowPrivate, minisign: signedBy?.minisign });
    }
    case 'mcp': {
      const { mcpSource } = await import('../sources/mcp/source.ts');
      const { command, args, env, cwd, url, headers, allowPrivate } = config;
      const start = config.sandbox && (await startIn(config, environment));
      return mcpSource({
        ...{ ...common, command, args, env, cwd, url, headers, allowPrivate, start },
        fetch: config.fetch ?? fetch,
      });
    }
  }
}

/** In the sandbox, or not at all. */
async function startIn(source: McpConfig, env: OpenOptions['env']) {
  const scripts = await wanted('scripts', { ...DEFAULTS, sources: [source] });
  if (source.sandbox === undefined || scripts === undefined) return undefined;
  return scripts.confined(source.sandbox, { env });
}
