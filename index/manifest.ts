/**
 * The manifest lists the segments of the current generation. Replacing `CURRENT`, which names it, is the commit.
 *
 * `manifest-<generation>.json` is written first, then `CURRENT`; both by rename. A crash between any two steps leaves
 * the previous generation current, plus some files that the next writer removes.
 */

import { createHash } from 'node:crypto';
import { type Directory, readWhole, writeWhole } from './directory/directory.ts';
import { IndexError } from './errors.ts';
import type { FieldAverages } from './lexical/postings/bm25f.ts';
import { SEGMENT_FORMAT, type SegmentInfo } from './segment/format.ts';

const CURRENT = 'CURRENT';

/** A segment in use, with its documents that have been removed or replaced. */
export interface LiveSegment extends SegmentInfo {
  /** Local numbers of dead documents, ascending. */
  readonly dead: readonly number[];
  /** True if another index has the same file, which lies on the disk once. */
  readonly shared?: boolean;
}

export interface IndexManifest {
  readonly format: number;
  /** Number of commits, from 1. */
  readonly generation: number;
  /** ISO 8601, of the commit. */
  readonly createdAt: string;
  readonly embedder: { readonly id: string; readonly dimensions: number };
  /**
   * Identifies everything outside the model that shapes passages (such as chunk sizes). Another recipe requires a
   * rebuild.
   */
  readonly recipe: string;
  readonly segments: readonly LiveSegment[];
  /** Mean field lengths for weighting new segments; updated by compaction. */
  readonly averages: FieldAverages | null;
  /** HNSW graph over the first segment's documents, and its recall against exact search. */
  readonly hnsw: HnswInfo | null;
}

export interface HnswInfo {
  readonly name: string;
  readonly segment: string;
  readonly bytes: number;
  readonly sha256: string;
  /** Recall@10 against the exact scan on a sample, measured when the graph was built. */
  readonly recall: number;
}

/** The current manifest, or null if there is no index yet. Throws `INDEX_DAMAGED` or `INDEX_FORMAT`. */
export function readManifest(directory: Directory): IndexManifest | null {
  if (!directory.list().includes(CURRENT)) return null;
  const { name, sha256 } = Object(parse<unknown>(readWhole(directory, CURRENT), CURRENT));
  if (typeof name !== 'string' || !isManifestName(name))
    throw new IndexError('INDEX_DAMAGED', `The index file ${CURRENT} names no manifest.`);
  const bytes = readWhole(directory, name);
  if (digestOf(bytes) !== sha256)
    throw new IndexError('INDEX_DAMAGED', `The index manifest ${name} fails its checksum.`);
  const manifest = parse<IndexManifest>(bytes, name);
  if (manifest.format !== SEGMENT_FORMAT)
    throw new IndexError(
      'INDEX_FORMAT',
      `The index has format ${manifest.format}; this version reads format ${SEGMENT_FORMAT}.`,
    );
  return manifest;
}

/** Number of living documents. */
export const documentsOf = ({ segments }: IndexManifest): number =>
  segments.reduce((sum, { documents, dead }) => sum + documents - dead.length, 0);

/**
 * Tells a generation from every other one. Its number does not, where several writers continue one index: each counts on from what it
 * has, and what one of them committed may never reach the others.
 */
export const identityOf = (manifest: IndexManifest): string => digestOf(bytesOf(manifest));

/** Makes a manifest the current one. */
export function publishManifest(directory: Directory, manifest: IndexManifest): void {
  const name = `manifest-${manifest.generation}.json`;
  const bytes = bytesOf(manifest);
  writeWhole(directory, name, bytes);
  const current = JSON.stringify({ name, sha256: digestOf(bytes) });
  writeWhole(directory, CURRENT, new TextEncoder().encode(`${current}\n`));
}

/** Names of all files that a generation consists of; `CURRENT` is the last. */
export function generationFiles({ generation, segments, hnsw }: IndexManifest): string[] {
  const graph = hnsw === null ? [] : [hnsw.name];
  return [...segments.map(({ name }) => name), ...graph, `manifest-${generation}.json`, CURRENT];
}

/** True for an index file that does not belong to this manifest. */
export function isLeftover(name: string, manifest: IndexManifest): boolean {
  if (isManifestName(name)) return name !== `manifest-${manifest.generation}.json`;
  if (name.endsWith('.hnsw')) return name !== manifest.hnsw?.name;
  return name.endsWith('.segment') && !manifest.segments.some((segment) => segment.name === name);
}

const isManifestName = (name: string) => /^manifest-\d+\.json$/.test(name);

function parse<T>(bytes: Uint8Array, name: string): T {
  try {
    // The casts are sound: CURRENT is written by rename, and the manifest's checksum has been verified.
    return JSON.parse(new TextDecoder().decode(bytes)) as T;
  } catch (cause) {
    throw new IndexError('INDEX_DAMAGED', `The index file ${name} is not JSON.`, { cause });
  }
}

const bytesOf = (manifest: IndexManifest) => new TextEncoder().encode(`${JSON.stringify(manifest)}\n`);
const digestOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
