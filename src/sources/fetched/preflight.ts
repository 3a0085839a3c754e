/**
 * What a fetch would refuse before it asks anybody: for a check of the configuration. Says nothing about whether an origin
 * answers.
 */

import { messageOf } from '../../base/errors.ts';
import { permit } from '../../base/net/guarded-fetch.ts';
import { askedRefs, remoteOf } from '../git/remote.ts';
import { subfolderOf } from './paths.ts';

/** The settings of a source that can be refused, as the configuration has them. */
export type Preflight =
  | { readonly kind: 'local' }
  | {
      readonly kind: 'git';
      readonly url: string;
      readonly ref?: string | undefined;
      readonly folder?: string | undefined;
    }
  | { readonly kind: 'archive'; readonly folder?: string | undefined }
  | { readonly kind: 'well-known'; readonly url: string; readonly allowPrivate: boolean }
  | { readonly kind: 'mcp'; readonly url?: string | undefined; readonly allowPrivate: boolean };

/** The setting and why it would be refused; null if nothing is wrong with it. */
export function refusalOf(source: Preflight): { readonly setting: string; readonly message: string } | null {
  switch (source.kind) {
    case 'local':
      return null;
    case 'git':
      return (
        refused('url', () => remoteOf(source.url, undefined)) ??
        refused('ref', () => askedRefs(source.ref)) ??
        refused('folder', () => subfolderOf(source.folder))
      );
    case 'archive':
      return refused('folder', () => subfolderOf(source.folder));
    case 'well-known':
    case 'mcp': {
      const { url, allowPrivate } = source;
      return url === undefined
        ? null
        : refused('url', () => permit(new URL(url), new Set(allowPrivate ? [new URL(url).origin] : [])));
    }
  }
}

function refused(setting: string, use: () => unknown): { setting: string; message: string } | null {
  try {
    use();
    return null;
  } catch (error) {
    return { setting, message: messageOf(error) };
  }
}
