/** The gateway of each principal. Principals with the same grants share one gateway, and so its view and caches. */

import { LRUCache } from 'lru-cache';
import type { LibraryView, ServedLibrary } from '../catalog/library.ts';
import { type FileWork, inThisThread } from './file-work.ts';
import { forRemote } from './for-remote.ts';
import type { Gateway } from './gateway.ts';
import { openGateway } from './open.ts';
import type { Grants } from './policy/grants.ts';
import type { Policy } from './policy/policy.ts';
import { LOCAL, type Principal } from './policy/principal.ts';
import { RestrictedLibrary } from './view.ts';

/** Gateways kept. A view of 25,000 skills takes about 1.5 MB. */
const MAX_GATEWAYS = 64;

/**
 * Returns the gateway of a principal. Cheap: its view is made on the first call. With `foldersAreElsewhere`, no answer names a
 * folder: the files are not on this machine. `work` parses files.
 */
export function gatewaysFor(
  library: ServedLibrary,
  policy: Policy,
  {
    foldersAreElsewhere = false,
    work = inThisThread,
  }: { readonly foldersAreElsewhere?: boolean; readonly work?: FileWork } = {},
): (principal: Principal) => Gateway {
  const gateways = new LRUCache<string, Gateway>({ max: MAX_GATEWAYS });
  return (principal) => {
    const grants = policy.grantsOf(principal);
    const isLocal = principal.id === LOCAL.id && !foldersAreElsewhere;
    const key = `${isLocal ? 'local' : 'remote'} ${grants.key}`;
    const gateway = gateways.get(key) ?? gatewayFor(library, grants, { isLocal, work });
    gateways.set(key, gateway);
    return gateway;
  };
}

/** The part of the library that the grants make visible. */
export const viewFor = (library: LibraryView, grants: Grants): LibraryView =>
  grants.everything ? library : new RestrictedLibrary(library, grants);

function gatewayFor(
  library: ServedLibrary,
  grants: Grants,
  { isLocal, work }: { readonly isLocal: boolean; readonly work: FileWork },
): Gateway {
  const gateway = openGateway(library, viewFor(library, grants), work);
  return isLocal ? gateway : forRemote(gateway);
}
