/** Opens a source from its settings. Loads the code of a kind only where a source of that kind exists. */

import type { ServerRequest } from '../../extensions/scripts/sandbox/sandbox.ts';
import type { FetchedSource, FetchOptions } from '../sources/fetched.ts';
import { localSource } from '../sources/local.ts';
import type { Source } from '../sources/source.ts';
import type { SourceConfig } from './config/schema.ts';
import { bytes, milliseconds } from './config/units.ts';
import type { SourceSettings } from './settings.ts';

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
      return gitSource({
        ...{ ...common, url, env: environment },
        ...given({ ref, folder, token }),
        signers,
      });
    }
    case 'archive': {
      const { archiveSource } = await import('../sources/archive.ts');
      const { path, folder, signedBy } = config;
      return archiveSource({ ...common, path, ...given({ folder, minisign: signedBy?.minisign }) });
    }
    case 'well-known': {
      const { wellKnownSource } = await import('../sources/well-known.ts');
      const { url, headers, allowPrivate, signedBy } = config;
      return wellKnownSource({
        ...{ ...common, url, headers, allowPrivate },
        ...given({ minisign: signedBy?.minisign }),
      });
    }
    case 'mcp': {
      const { mcpSource } = await import('../sources/mcp/source.ts');
      const { command, args, env, cwd, url, headers, via, allowPrivate, sandbox } = config;
      return mcpSource({
        ...common,
        ...{ args, env, headers, via, allowPrivate },
        ...given({ command, cwd, url }),
        ...(sandbox !== undefined && { start: await startIn(sandbox, environment) }),
      });
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

type ServerSandbox = NonNullable<Extract<SourceConfig, { readonly kind: 'mcp' }>['sandbox']>;

async function startIn(
  { read, write, network, memory, processes, workSize }: ServerSandbox,
  environment: OpenOptions['env'],
) {
  const { localSandbox } = await import('../../extensions/scripts/open-scripts.ts');
  const sandbox = localSandbox({ env: environment });
  return ({ command, args, env, cwd }: Pick<ServerRequest, 'command' | 'args' | 'env' | 'cwd'>) =>
    sandbox.start({
      ...{ command, args, env, cwd, read, write, network },
      limits: { memoryBytes: bytes(memory), workBytes: bytes(workSize), processes },
    });
}

/** Drops undefined members. */
function given<T extends Readonly<Record<string, string | undefined>>>(
  values: T,
): { [Key in keyof T]?: NonNullable<T[Key]> } {
  const entries = Object.entries(values).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as { [Key in keyof T]?: NonNullable<T[Key]> };
}
