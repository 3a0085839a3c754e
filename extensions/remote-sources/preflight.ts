/**
 * What a fetch would refuse before it sends a request: for a check of the configuration. Says nothing about whether an origin
 * answers.
 */

import type { SourceConfig } from '../../src/app/config/schema.ts';
import type { RemoteSources } from '../../src/app/extension-api.ts';
import { errorMessage } from '../../src/base/errors.ts';
import { permit } from '../net/guarded-fetch.ts';
import { toSubfolder } from './fetched/select-files.ts';
import { askedRefs, parseRemote } from './git/remote.ts';

type Refusal = ReturnType<RemoteSources['findRefusal']>;

export function findRefusal(source: SourceConfig): Refusal {
  switch (source.kind) {
    case 'local':
      return null;
    case 'archive':
      return refused('folder', () => toSubfolder(source.folder));
    case 'git':
      return (
        refused('url', () => parseRemote(source.url, undefined)) ??
        refused('ref', () => askedRefs(source.ref)) ??
        refused('folder', () => toSubfolder(source.folder))
      );
    case 'well-known':
    case 'mcp': {
      const { url, allowPrivate } = source;
      if (url === undefined) return null;
      return refused('url', () => permit(new URL(url), new Set(allowPrivate ? [new URL(url).origin] : [])));
    }
  }
}

function refused(setting: string, use: () => unknown): Refusal {
  try {
    use();
    return null;
  } catch (error) {
    return { setting, message: errorMessage(error) };
  }
}
