/** One gateway for each set of grants: principals of whom the same rules speak share a view and what it has computed. */

import type { Gateway } from '../gateway.ts';
import type { Library } from '../library.ts';
import { openGateway } from '../open.ts';
import { LOCAL, type Principal } from '../principal.ts';
import { fromElsewhere } from './elsewhere.ts';
import type { Grants } from './grants.ts';
import type { Policy } from './policy.ts';
import { RestrictedLibrary, type Shelf } from './view.ts';

/** Gateways kept ready. A view of 25,000 skills takes about 1.5 MB. */
const KEPT = 64;

/** The gateway that answers a principal. Cheap: the view is made when it is first asked for. */
export function gatewaysFor(library: Library, policy: Policy): (principal: Principal) => Gateway {
  const kept = new Map<string, Gateway>();
  return (principal) => {
    const grants = policy.grantsOf(principal);
    const isLocal = principal.id === LOCAL.id;
    const key = `${isLocal ? 'local' : 'elsewhere'} ${grants.key}`;
    const gateway = kept.get(key) ?? gatewayFor(library, grants, isLocal);
    // Put last again: the first one is then the one that was not asked for longest.
    kept.delete(key);
    kept.set(key, gateway);
    const [oldest] = kept.keys();
    if (kept.size > KEPT && oldest !== undefined) kept.delete(oldest);
    return gateway;
  };
}

/** What of the library the grants show. */
export const shelfFor = (library: Library, grants: Grants): Shelf =>
  grants.everything ? library : new RestrictedLibrary(library, grants);

function gatewayFor(library: Library, grants: Grants, isLocal: boolean): Gateway {
  const rights = { listedFilesOnly: !grants.everything };
  const gateway = openGateway(library, shelfFor(library, grants), rights);
  return isLocal ? gateway : fromElsewhere(gateway);
}
