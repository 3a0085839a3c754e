/** Opens a source from its settings. Loads the code of a kind only where a source of that kind exists. */

import type { FetchedSource, FetchOptions } from '../sources/fetched.ts';
import { localSource } from '../sources/local.ts';
import type { Source } from '../sources/source.ts';
import { DEFAULTS } from './config/defaults.ts';
import type { SourceConfig } from './config/schema.ts';
import { bytes, milliseconds } from './config/units.ts';
import { wanted } from './load-extensions.ts';
import type { SourceSettings } from './settings.ts';

type McpConfig = Extract<SourceConfig, { readonly kind: 'mcp' }>;
type FetchedConfig = Exclude<SourceConfig, { readonly kind: 'local' }>;

export interface OpenOptions {
  /** The resolved version of the lockfile where sources are frozen, else null. */
  readonly pinned: string | null;
  readonly now: () => Date;
  /** For the git program: its path, credential helpers and proxies. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

export async function openSource(
  { name, config, token, fetchFolder, optional, links, within }: SourceSettings,
  { pinned, now, env: environment }: OpenOptions,
): Promise<Source | FetchedSource> {
  if (config.kind === 'local') return localSource({ name, root: config.root, optional, links, within });
  const common = fetchOptions(name, config, fetchFolder, pinned, now);
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
      const { command, args, env, cwd, url, headers, via, allowPrivate } = config;
      const start = config.sandbox && (await startIn(config, environment));
      return mcpSource({ ...common, command, args, env, cwd, url, headers, via, allowPrivate, start });
    }
  }
}

function fetchOptions(
  name: string,
  config: FetchedConfig,
  fetchFolder: string,
  pinned: string | null,
  now: () => Date,
): FetchOptions {
  return {
    name,
    cacheFolder: fetchFolder,
    refreshMs: milliseconds(config.refresh),
    timeoutMs: milliseconds(config.timeout),
    maxSkills: config.maxSkills,
    maxBytes: bytes(config.maxBytes),
    pinned,
    now,
  };
}

/** In the sandbox, or not at all. */
async function startIn(source: McpConfig, env: OpenOptions['env']) {
  const scripts = await wanted('scripts', { ...DEFAULTS, sources: [source] });
  if (source.sandbox === undefined || scripts === undefined) return undefined;
  return scripts.confined(source.sandbox, { env });
}
