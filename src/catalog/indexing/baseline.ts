/** The state that a run starts from: the documents of the index, and the stamps of their folders. */

import type { Directory } from '../../../index/directory/directory.ts';
import { type IndexManifest, identityOf } from '../../../index/manifest.ts';
import type { SegmentInfo } from '../../../index/segment/format.ts';
import { SegmentReader } from '../../../index/segment/reader.ts';
import type { SkillFolder } from '../../sources/source.ts';
import type { Stamp, Stamps } from './stamps.ts';
import type { FolderOutcome } from './tasks.ts';

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
  if (identityOf(manifest) !== generation) return digestsOf(directory, manifest.segments);
  const digests = new Map<string, string>();
  for (const [id, { digest }] of byId) if (digest !== null) digests.set(id, digest);
  return digests;
}

/** Digests of the live documents, by key. Later segments win. */
export function digestsOf(
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
export function stampsOf(
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
