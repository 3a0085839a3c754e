/** The gateway of each principal. Principals with the same grants share one gateway, and so its view and caches. */

import { LRUCache } from 'lru-cache';
import type { LibraryView, ServedLibrary } from '../catalog/library.ts';
import type { CatalogEntry } from '../sources/scan/entry.ts';
import type { Gateway, SkillOnDisk } from './gateway.ts';
import { GatewayError } from './gateway-error.ts';
import { openGateway } from './open.ts';
import type { Grants, Policy } from './policy/policy.ts';
import { LOCAL, type Principal } from './policy/principal.ts';
import { RestrictedLibrary } from './view.ts';

/** Gateways kept. A view of 25,000 skills takes about 1.5 MB. */
const MAX_GATEWAYS = 64;

/**
 * Returns the gateway of a principal. Cheap: its view is made on the first call. With `foldersAreElsewhere`, no answer names a
 * folder: the files are not on this machine.
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
    const gateway = gateways.get(key) ?? gatewayFor(library, grants, isLocal);
    gateways.set(key, gateway);
    return gateway;
  };
}

/** The part of the library that the grants make visible. */
export const viewFor = (library: LibraryView, grants: Grants): LibraryView =>
  grants.everything ? library : new RestrictedLibrary(library, grants);

function gatewayFor(library: ServedLibrary, grants: Grants, isLocal: boolean): Gateway {
  const gateway = openGateway(library, viewFor(library, grants));
  return isLocal ? gateway : forRemote(gateway);
}

/**
 * Answers for principals on other machines, without local paths: those mean nothing there and leak information (a
 * checkout's folder changes with every skill of its repository, visible or not). A skill's folder becomes its URI's.
 */
function forRemote(gateway: Gateway): Gateway {
  /** The original of each returned entry, for calls that take entries back. */
  const originals = new WeakMap<CatalogEntry, CatalogEntry>();
  const masked = (entry: CatalogEntry): CatalogEntry => {
    const copy = { ...entry, folder: entry.uri.replace(/\/[^/]*$/, '') };
    originals.set(copy, entry);
    return copy;
  };
  const withMasked = <Item extends { readonly entry: CatalogEntry }>(item: Item): Item => ({
    ...item,
    entry: masked(item.entry),
  });
  const onDisk = (skill: SkillOnDisk): SkillOnDisk => ({
    ...withMasked(skill),
    nested: async () => (await skill.nested()).map(onDisk),
  });
  return {
    ...gateway,
    async search(request) {
      const answer = await gateway.search(request);
      return { ...answer, hits: answer.hits.map(withMasked) };
    },
    load: async (request) => withMasked(await gateway.load(request)),
    find: async (request) => withMasked(await gateway.find(request)),
    read: (request) => gateway.read(request).catch(withoutFolder),
    async list(request) {
      const page = await gateway.list(request);
      return { ...page, entries: page.entries.map(masked) };
    },
    labels: (entries) => gateway.labels(entries.map((entry) => originals.get(entry) ?? entry)),
    async publishable(request) {
      const page = await gateway.publishable(request);
      return { ...page, skills: page.skills.map(onDisk) };
    },
    async publishableAt(uri) {
      const skill = await gateway.publishableAt(uri);
      return skill && onDisk(skill);
    },
  };
}

/** `FILE_BINARY` is the one error whose message contains the folder. */
function withoutFolder(error: unknown): never {
  if (!(error instanceof GatewayError) || error.code !== 'FILE_BINARY') throw error;
  const { path, mimeType, size } = error.data;
  const message = `${path} is neither text nor an image (${mimeType}, ${size} bytes): it cannot be read from here.`;
  throw new GatewayError(error.code, message, { data: error.data, cause: error });
}
