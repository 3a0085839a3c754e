/**
 * The folders that a client works in (roots), for a server on its machine. Revisions before 2026-07-28 only: that one
 * deprecates roots, and its hosts start the server in the project.
 */

import { fileURLToPath } from 'node:url';
import type { ServerFeature } from './server.ts';

/** How long a client may take to answer, ms: calls wait that long for the folders. */
const ROOTS_TIMEOUT_MS = 2_000;

/** Calls back after the handshake and after each change, with the folders to come; absolute, in the client's order. */
export function clientRoots(onRoots: (asked: Promise<readonly string[]>) => void): ServerFeature {
  return {
    attach({ server }, { era }) {
      if (era !== 'legacy') return;
      const ask = async () => {
        const { roots } = await server.listRoots(undefined, { timeout: ROOTS_TIMEOUT_MS });
        return roots.flatMap(({ uri }) => rootFolder(uri));
      };
      const before = server.oninitialized;
      server.oninitialized = () => {
        before?.();
        if (server.getClientCapabilities()?.roots !== undefined) onRoots(ask());
      };
      server.setNotificationHandler('notifications/roots/list_changed', () => onRoots(ask()));
    },
  };
}

/** Roots on other machines, and URIs that are no path here, are left out. */
function rootFolder(uri: string): string[] {
  try {
    return [fileURLToPath(uri)];
  } catch {
    return [];
  }
}
