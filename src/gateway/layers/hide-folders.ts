/** Answers without folders of this machine. */

import { GatewayError } from '../gateway-error.ts';
import type { Layer } from './layer.ts';
import { maskEntries, withoutFolder } from './mask-entries.ts';

/**
 * Answers for principals on other machines, without local paths: those mean nothing there and leak information (a
 * checkout's folder changes with every skill of its repository, visible or not). A skill's folder becomes its URI's.
 */
export const hideFolders: Layer = (next) => ({
  ...maskEntries(next, withoutFolder),
  read: (request) => next.read(request).catch(rejectWithoutFolder),
});

/** `FILE_BINARY` is the one error whose message contains the folder. */
function rejectWithoutFolder(error: unknown): never {
  if (!(error instanceof GatewayError) || error.code !== 'FILE_BINARY') throw error;
  const { path, size, what } = error.data;
  const message = `${path} ${what} (${size} bytes). It cannot be read from here.`;
  throw new GatewayError(error.code, message, { data: error.data, cause: error });
}
