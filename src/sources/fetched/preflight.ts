/**
 * What a fetch would refuse before it asks anybody: for a check of the configuration. Says nothing about whether an origin
 * answers.
 */

import { messageOf } from '../../base/errors.ts';
import { permit } from '../../base/net/guarded-fetch.ts';
import { askedRefs, remoteOf } from '../git/remote.ts';
import { subfolderOf } from './select-files.ts';

/** The settings of a source that can be refused, as the configuration has them. */
interface Preflight {
  readonly kind: 'local' | 'git' | 'archive' | 'well-known' | 'mcp';
  readonly url?: string | undefined;
  readonly ref?: string | undefined;
  readonly folder?: string | undefined;
  readonly allowPrivate?: boolean;
}

interface Refusal {
  readonly setting: string;
  readonly message: string;
}

/** The setting and why it would be refused; null if nothing is wrong with it. */
export function refusalOf({ kind, url, ref, folder, allowPrivate }: Preflight): Refusal | null {
  const refusedFolder = () => refused('folder', () => subfolderOf(folder));
  if (kind === 'archive') return refusedFolder();
  if (kind === 'local' || url === undefined) return null;
  if (kind !== 'git')
    return refused('url', () => permit(new URL(url), new Set(allowPrivate ? [new URL(url).origin] : [])));
  return (
    refused('url', () => remoteOf(url, undefined)) ?? refused('ref', () => askedRefs(ref)) ?? refusedFolder()
  );
}

function refused(setting: string, use: () => unknown): Refusal | null {
  try {
    use();
    return null;
  } catch (error) {
    return { setting, message: messageOf(error) };
  }
}
