/**
 * Everything that surrounds a call, in order: the first step is nearest to the use cases (`open.ts`), where damage is
 * repaired. What only models need comes after the last, in `mcp/server.ts`.
 */

import type { ServedLibrary } from '../catalog/library.ts';
import type { Learning } from '../search/learned.ts';
import type { Gateway } from './gateway.ts';
import { gatewaysFor } from './gateway-per-grants.ts';
import {
  type Interceptor,
  intercept,
  type Observer,
  observed,
  withLearning,
  withNote,
  withRequiredAudit,
} from './intercept.ts';
import type { Policy } from './policy/policy.ts';
import type { Principal } from './policy/principal.ts';
import type { Toolbox } from './tools/toolbox.ts';

/** One catalog, as each principal may use it. */
export interface CatalogPipeline {
  readonly library: ServedLibrary & { readonly learning?: Learning | undefined };
  readonly policy: Policy;
  /** What each answer to a search says besides; '' for nothing. */
  readonly note: (principal: Principal) => string;
  /** Refuses calls while the catalog cannot answer for itself. */
  readonly guard?: Interceptor;
  /** No answer names a folder: the files are not on this machine. */
  readonly foldersAreElsewhere?: boolean;
}

export function catalogPipeline({ library, policy, note, guard, ...rest }: CatalogPipeline) {
  // The principal's view of the library, without folders for those on other machines.
  const gatewayFor = gatewaysFor(library, policy, rest);
  return (principal: Principal): Gateway => {
    const learning = withLearning(gatewayFor(principal), principal.id, library.learning);
    const guarded = guard === undefined ? learning : intercept(learning, guard);
    return withNote(guarded, () => note(principal));
  };
}

/** A server around a catalog, or around those that take its place. */
export interface ServedPipeline {
  readonly catalog: (principal: Principal) => Promise<Gateway>;
  readonly toolbox: Toolbox | null;
  /** Whether lines of an audit log are lost without which nothing is answered; null where none is required. */
  readonly auditFails: (() => boolean) | null;
  /** Null where nothing is recorded. */
  readonly observe: Observer | null;
  /** Milliseconds, monotonic. */
  readonly now: () => number;
}

export function servedPipeline({ catalog, toolbox, auditFails, observe, now }: ServedPipeline) {
  return async (principal: Principal): Promise<Gateway> => {
    const own = await catalog(principal);
    const withOthers = toolbox === null ? own : withTools(own, principal, toolbox);
    const audited = auditFails === null ? withOthers : withRequiredAudit(withOthers, auditFails);
    return observe === null ? audited : observed(audited, { principal, observe, now });
  };
}

export function withTools(gateway: Gateway, principal: Principal, toolbox: Toolbox): Gateway {
  return {
    ...gateway,
    async load(request) {
      const loaded = await gateway.load(request);
      return { ...loaded, ...(await toolbox.load(loaded.entry, principal)) };
    },
    useTool: (request) => toolbox.use(request, principal),
  };
}
