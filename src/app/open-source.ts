/** Opens a source from its settings. Loads the code of a kind only where a source of that kind exists. */

import type { FetchedSource } from '../sources/fetched.ts';
import { localSource } from '../sources/local.ts';
import type { Source } from '../sources/source.ts';
import { DEFAULTS } from './config/defaults.ts';
import type { SourceConfig } from './config/schema.ts';
import { wanted } from './load-extensions.ts';
import type { SourceSettings } from './settings.ts';

/** One fetch of a source: what is larger or slower keeps what it has, and says so. */
const FETCH_LIMITS = { timeoutMs: 300_000, maxSkills: 100_000, maxBytes: 2 * 2 ** 30 };

type McpConfig = Extract<SourceConfig, { readonly kind: 'mcp' }>;

export interface OpenOptions {
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
