/**
 * What a run starts from: the documents of the index, the stamps of their folders, and by these the plan, which folders to read.
 *
 * Stamps and the digest of the catalog lie next to the index and are only shortcuts: without them, or with damaged ones, every
 * skill is hashed once more, and one more run finds nothing to do. So they are written last and need no checksum.
 */

import * as z from 'zod';
import { type Directory, readJson, writeJson } from '../../../index/directory/directory.ts';
import { type IndexManifest, identityOf } from '../../../index/manifest.ts';
import type { SegmentInfo } from '../../../index/segment/format.ts';
import { lacksHnsw } from '../../../index/segment/graph.ts';
import { SegmentReader } from '../../../index/segment/reader.ts';
import type { VectorMode } from '../../../index/vectors/choose.ts';
import { PASSAGE_VERSION } from '../../search/passages/version.ts';
import type { CatalogSnapshot } from '../../sources/scan/catalog.ts';
import type { SkillFolder } from '../../sources/source.ts';
import type { FolderOutcome } from './tasks.ts';

const STAMPS = 'stamps.json';
const CATALOG = 'catalog.json';

export interface Baseline {
  /** Digests of the committed documents, by id. */
  readonly indexed: ReadonlyMap<string, string>;
  /** Digests of the documents that the writer continues, where it continues another index. */
  readonly inherited?: ReadonlyMap<string, string>;
  /** Finished segments of an interrupted run. */
  readonly adopted: readonly SegmentInfo[];
  readonly stamps: ReadonlyMap<string, Stamp>;
}

/** Digests of the committed documents, by id. Reads segments only where the stamps belong to another generation. */
export function indexedBy(
  { generation, byId }: Stamps,
  manifest: IndexManifest | null,
  directory: Directory,
): ReadonlyMap<string, string> {
  if (manifest === null) return new Map();
  if (identityOf(manifest) !== generation) return readDigests(directory, manifest.segments);
  const digests = new Map<string, string>();
  for (const [id, { digest }] of byId) if (digest !== null) digests.set(id, digest);
  return digests;
}

/** Digests of the live documents, by key. Later segments win. */
export function readDigests(
  directory: Directory,
  segments: readonly (SegmentInfo & { readonly dead?: readonly number[] })[],
): Map<string, string> {
  const digests = new Map<string, string>();
  for (const { name, documents, dead = [] } of segments) {
    const deadOrdinals = new Set(dead);
    const reader = new SegmentReader(directory, name);
    try {
      for (let at = 0; at < documents; at += 1)
        if (!deadOrdinals.has(at)) digests.set(reader.key(at), reader.digest(at));
    } finally {
      reader.close();
    }
  }
  return digests;
}

/** The folders' stamps after a run: with the digest found by the run, or the previous one where the folder was skipped. */
export function readPriorStamps(
  folders: readonly SkillFolder[],
  outcomes: readonly FolderOutcome[],
  before: ReadonlyMap<string, Stamp>,
): Map<string, Stamp> {
  const digests = new Map(outcomes.map(({ id, digest }) => [id, digest]));
  return new Map(
    folders.map(({ id, stamp }) => {
      const digest = digests.has(id) ? digests.get(id) : before.get(id)?.digest;
      return [id, { stamp, digest: digest ?? null }];
    }),
  );
}

/** A folder's stamp, and the digest of its files at that time; null where there was nothing to index. */
export interface Stamp {
  readonly stamp: string;
  readonly digest: string | null;
}

/** The stamps of all folders, by id. */
export interface Stamps {
  /** Identity of the generation that holds exactly these digests; '' where unknown. */
  readonly generation: string;
  readonly byId: ReadonlyMap<string, Stamp>;
}

const NONE: Stamps = { generation: '', byId: new Map() };

/** Entries are `[id, stamp, digest]`. There are tens of thousands, so they are checked by hand, not by a schema. */
export function readStamps(directory: Directory): Stamps {
  const json = readJson(directory, STAMPS);
  if (json === null || typeof json !== 'object' || !('generation' in json) || !('stamps' in json))
    return NONE;
  const { generation, stamps } = json;
  if (typeof generation !== 'string' || !Array.isArray(stamps) || !stamps.every(isEntry)) return NONE;
  return { generation, byId: new Map(stamps.map(([id, stamp, digest]) => [id, { stamp, digest }])) };
}

export function writeStamps(directory: Directory, { generation, byId }: Stamps): void {
  const stamps = Array.from(byId, ([id, { stamp, digest }]) => [id, stamp, digest]);
  writeJson(directory, STAMPS, { generation, stamps });
}

function isEntry(entry: unknown): entry is [id: string, stamp: string, digest: string | null] {
  if (!Array.isArray(entry)) return false;
  const [id, stamp, digest] = entry;
  return (
    typeof id === 'string' && typeof stamp === 'string' && (typeof digest === 'string' || digest === null)
  );
}

export interface Plan {
  /** Folders to read and hash, in order of id: new folders, and those whose stamp changed. */
  readonly check: readonly SkillFolder[];
  /** Ids of folders that have not changed, also of those without anything to index. */
  readonly unchanged: readonly string[];
}

/**
 * `known` maps every id of the index to its digest. A stamp counts only where the index holds the digest recorded with
 * it, so after the index has been deleted everything is read again.
 */
export function plan(
  folders: readonly SkillFolder[],
  known: ReadonlyMap<string, string>,
  stamps: ReadonlyMap<string, Stamp>,
): Plan {
  const check: SkillFolder[] = [];
  const unchanged: string[] = [];
  for (const folder of folders) {
    const stamp = stamps.get(folder.id);
    const isUnchanged = stamp?.stamp === folder.stamp && stamp.digest === (known.get(folder.id) ?? null);
    if (isUnchanged) unchanged.push(folder.id);
    else check.push(folder);
  }
  return { check, unchanged };
}

const schema = z.object({ generation: z.string(), digest: z.string() });

/** True where a run would do nothing: the index holds exactly this catalog, built with the present recipe. */
export async function isUpToDate(
  directory: Directory,
  manifest: IndexManifest,
  catalog: CatalogSnapshot,
  vectors: VectorMode,
): Promise<boolean> {
  const stored = schema.safeParse(readJson(directory, CATALOG)).data;
  const isSame = stored?.generation === identityOf(manifest) && stored.digest === catalog.digest;
  return manifest.recipe === PASSAGE_VERSION && isSame && !(await lacksHnsw(directory, manifest, vectors));
}

export function recordUpToDate(
  directory: Directory,
  manifest: IndexManifest,
  catalog: CatalogSnapshot,
): void {
  writeJson(directory, CATALOG, { generation: identityOf(manifest), digest: catalog.digest });
}
