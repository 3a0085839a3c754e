/** Sources that are elsewhere: git, archives, sites with well-known skills, MCP servers. */

import type { Extension, RemoteSources } from '../../src/app/extension-api.ts';
import { findRefusal } from './preflight.ts';

/** One fetch of a source: what is larger or slower keeps what it has, and says so. */
const FETCH_LIMITS = { timeoutMs: 300_000, maxSkills: 100_000, maxBytes: 2 * 2 ** 30 };

/** Each kind's code is loaded with its first source. */
export const openRemote: RemoteSources['open'] = async (
  { name, config, token, fetchFolder, requests },
  { env: environment, fetch = 'instructions', ...options },
) => {
  const common = { name, requests, cacheFolder: fetchFolder, ...FETCH_LIMITS, ...options };
  switch (config.kind) {
    case 'local':
      throw new Error(`${name} is a folder of this machine.`);
    case 'git': {
      const { gitSource } = await import('./git/source.ts');
      const { url, ref, folder, signedBy: signers } = config;
      return gitSource({ ...common, url, env: environment, ref, folder, token, signers });
    }
    case 'archive': {
      const { archiveSource } = await import('./archive/source.ts');
      const { path, folder, signedBy } = config;
      return archiveSource({ ...common, path, folder, minisign: signedBy?.minisign });
    }
    case 'well-known': {
      const { wellKnownSource } = await import('./well-known/source.ts');
      const { url, headers, allowPrivate, signedBy } = config;
      return wellKnownSource({ ...common, url, headers, allowPrivate, minisign: signedBy?.minisign });
    }
    case 'mcp': {
      const { mcpSource } = await import('./mcp/source.ts');
      const { command, args, env, cwd, url, headers, allowPrivate } = config;
      return mcpSource({
        ...{ ...common, command, args, env, cwd, url, headers, allowPrivate },
        fetch: config.fetch ?? fetch,
      });
    }
  }
};

export const extension: Extension = { sources: { open: openRemote, findRefusal } };
