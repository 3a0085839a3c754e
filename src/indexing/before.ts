/** What a run starts from: which documents are in force, and what their folders looked like. */

import { type Directory, type IndexManifest, type SegmentInfo, SegmentReader } from '#index';
import type { SkillFolder } from '../catalog/entry.ts';
import type { Stamp, Stamps } from './stamps.ts';
import type { FolderOutcome } from './tasks.ts';

/** What a run starts from. */
export interface Before {
  /** Digests of the documents in force, by id. */
  readonly indexed: ReadonlyMap<string, string>;
  /** Finished segments of an interrupted run. */
  readonly adopted: readonly SegmentInfo[];
  readonly stamps: ReadonlyMap<string, Stamp>;
}

/** Digests of the documents in force, by id; from the segments only where the stamps are not of this generation. */
export function indexedBy(
  { generation, byId }: Stamps,
  manifest: IndexManifest | null,
  directory: Directory,
): ReadonlyMap<string, string> {
  if (manifest?.generation !== generation) return digestsOf(directory, manifest?.segments ?? []);
  const digests = new Map<string, string>();
  for (const [id, { digest }] of byId) if (digest !== null) digests.set(id, digest);
  return digests;
}

/** Digests of the living documents by key; those of later segments count. */
export function digestsOf(
  directory: Directory,
  segments: readonly (SegmentInfo & { readonly dead?: readonly number[] })[],
): Map<string, string> {
  const digests = new Map<string, string>();
  for (const { name, documents, dead = [] } of segments) {
    const gone = new Set(dead);
    const reader = new SegmentReader(directory, name);
    try {
      for (let at = 0; at < documents; at += 1)
        if (!gone.has(at)) digests.set(reader.key(at), reader.digest(at));
    } finally {
      reader.close();
    }
  }
  return digests;
}

/** The folders' stamps after a run: with the digest that it found, or the one that it did not look for. */
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
