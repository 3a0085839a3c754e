/**
 * Everything that surrounds the use cases (`use-cases.ts`), in order, the nearest first. Each layer is a file in `layers/`.
 */

import { LRUCache } from 'lru-cache';
import type { LibraryView, ServedLibrary } from '../catalog/library.ts';
import type { Learning } from '../search/learned.ts';
import type { Gateway } from './gateway.ts';
import { type Interceptor, intercept, type Observer } from './intercept.ts';
import { addNote } from './layers/add-note.ts';
import { forModels } from './layers/for-models.ts';
import { guarded } from './layers/guard.ts';
import { hideFolders } from './layers/hide-folders.ts';
import { type Layer, surround } from './layers/layer.ts';
import { learn } from './layers/learn.ts';
import { markRemote } from './layers/mark-remote.ts';
import { observeCalls } from './layers/observe.ts';
import { repair } from './layers/repair.ts';
import { type Report, reportFindings } from './layers/report-findings.ts';
import { requireAudit } from './layers/require-audit.ts';
import { useTools } from './layers/use-tools.ts';
import type { Policy } from './policy/policy.ts';
import { LOCAL, type Principal } from './policy/principal.ts';
import type { Toolbox } from './tools/toolbox.ts';
import { useCases } from './use-cases.ts';
import { viewFor } from './view.ts';

/** Gateways kept. A view of 25,000 skills takes about 1.5 MB. */
const MAX_GATEWAYS = 64;

/** A gateway for everything in the library. `view` is the part that callers may see; default all of it. */
export function openGateway(library: ServedLibrary, view: LibraryView = library): Gateway {
  const cases = useCases(view, (entry) => library.isThere?.(entry) ?? true);
  return surround(cases, [repair(library), markRemote(library)], { principal: LOCAL });
}

/**
 * Returns the gateway of a principal. Principals with the same grants share one gateway, and so its view and caches; a view is
 * made on the first call. With `foldersAreElsewhere`, no answer names a folder: the files are not on this machine.
 */
export function gatewaysFor(
  library: ServedLibrary,
  policy: Policy,
  { foldersAreElsewhere = false }: { readonly foldersAreElsewhere?: boolean } = {},
): (principal: Principal) => Gateway {
  const gateways = new LRUCache<string, Gateway>({ max: MAX_GATEWAYS });
  return (principal) => {
    const grants = policy.grantsOf(principal);
    const isLocal = principal.id === LOCAL.id && !foldersAreElsewhere;
    const key = `${isLocal ? 'local' : 'remote'} ${grants.key}`;
    const known = gateways.get(key);
    if (known !== undefined) return known;
    const own = openGateway(library, viewFor(library, grants));
    const gateway = surround(own, isLocal ? [] : [hideFolders], { principal });
    gateways.set(key, gateway);
    return gateway;
  };
}

/** One catalog, as each principal may use it. */
export interface CatalogPipeline {
  readonly library: ServedLibrary;
  /** Absent where learning is off. */
  readonly learning?: Learning | undefined;
  readonly policy: Policy;
  /** A note that is added to every answer of a search, or ''. */
  readonly note: (principal: Principal) => string;
  /** Refuses calls while the catalog cannot answer for itself. */
  readonly guard?: Interceptor;
  /** No answer names a folder: the files are not on this machine. */
  readonly foldersAreElsewhere?: boolean;
}

export function catalogPipeline({ library, learning, policy, note, guard, ...rest }: CatalogPipeline) {
  const gatewayFor = gatewaysFor(library, policy, rest);
  const layers: readonly Layer[] = [
    ...(learning === undefined ? [] : [learn(learning)]),
    ...(guard === undefined ? [] : [guarded(guard)]),
    addNote(note),
  ];
  return (principal: Principal): Gateway => surround(gatewayFor(principal), layers, { principal });
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

export const servedPipeline =
  ({ catalog, ...options }: ServedPipeline) =>
  async (principal: Principal): Promise<Gateway> =>
    servedGateway(await catalog(principal), principal, options);

export function servedGateway(
  gateway: Gateway,
  principal: Principal,
  { toolbox, auditFails, observe, now }: Omit<ServedPipeline, 'catalog'>,
): Gateway {
  const layers: readonly Layer[] = [
    ...(toolbox === null ? [] : [useTools(toolbox)]),
    ...(auditFails === null ? [] : [requireAudit(auditFails)]),
    ...(observe === null ? [] : [observeCalls(observe, now)]),
  ];
  return surround(gateway, layers, { principal });
}

/** The outermost layer of tools and commands: reports what is suspicious in an answer. `around`: around each call. */
export const reportingGateway = (gateway: Gateway, report: Report, around?: Interceptor): Gateway =>
  surround(around ? intercept(gateway, around) : gateway, [reportFindings(report)], { principal: LOCAL });

/** Only what models may see. */
export const modelGateway = (gateway: Gateway): Gateway =>
  surround(gateway, [forModels], { principal: LOCAL });
