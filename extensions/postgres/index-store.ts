/**
 * Where several gateways share one index: published generations, the objects (files, by SHA-256) that they consist of, and the
 * writer's lease. `database/postgres-store.ts` implements it; tests also use a store in memory, which passes the same contract suite.
 *
 * Objects are immutable and invisible until a published generation, or a skill's list of files, names them. A *line* is
 * everything written in one format of the index with one model: gateways of two versions each follow, and write, their own.
 */

import type { FileKind } from '../../src/app/extension-api.ts';
import { CodedError, errorMessage } from '../../src/base/errors.ts';

/** A file as an object of the store. */
export interface StoredObject {
  /** Hex SHA-256 of the bytes. */
  readonly sha256: string;
  /** Bytes. */
  readonly size: number;
}

/** A file of the index, under its name there. */
export interface IndexFile extends StoredObject {
  readonly name: string;
}

/** One published generation. */
export interface PublishedIndex {
  /** Counts publications of the line, from 1. */
  readonly version: number;
  /** The index's own number. */
  readonly generation: number;
  readonly publishedAt: Date;
  /** All files of the index, `CURRENT` included, in order of name. */
  readonly files: readonly IndexFile[];
}

/** A file of a skill. */
export interface StoredSkillFile {
  /** Relative to the skill's folder, with `/`. */
  readonly path: string;
  /** Bytes. */
  readonly size: number;
  readonly kind: FileKind;
  /** Hex SHA-256; null for a file that is too large to be served. */
  readonly sha256: string | null;
}

/** The files of one skill, by the digest that its catalog entry has. */
export interface StoredSkill {
  /** Hex SHA-256 over paths and contents. */
  readonly digest: string;
  /** The skill file first, then in order of path. */
  readonly files: readonly StoredSkillFile[];
}

/** The right to publish in a line, until it expires and another gateway takes it. */
export interface Lease {
  readonly line: string;
  readonly holder: string;
  /** Grows with each new holder: what an earlier one publishes is refused. */
  readonly fence: number;
}

/** An object with its bytes, in chunks of any size, none of which may change later. */
export interface NewObject extends StoredObject {
  readonly chunks: () => Iterable<Uint8Array>;
}

/** Takes the next piece of an object. Other bytes may stand there once it has resolved. */
export type WriteBytes = (position: number, bytes: Uint8Array) => Promise<void>;

export interface IndexStore {
  /** The newest generation of the line; null before the first one. */
  newest(line: string): Promise<PublishedIndex | null>;
  /**
   * Writes an object's bytes by `write(position, bytes)`, one piece after another, in order. The caller checks the digest. Rejects as `write`
   * does, or with `STORE_DAMAGED` where the store does not have it whole.
   */
  fetch(object: StoredObject, write: WriteBytes): Promise<void>;
  /** Which of these digests the store has as whole objects. They count as new for `collect` from now on. */
  hasObjects(digests: readonly string[]): Promise<ReadonlySet<string>>;
  /** Adds objects, each whole or not at all. One that is there already stays as it is. */
  addObjects(objects: readonly NewObject[]): Promise<void>;
  /** Which of these digests of skills the store has. They count as new for `collect` from now on. */
  hasSkills(digests: readonly string[]): Promise<ReadonlySet<string>>;
  /** Adds skills whose objects are there. */
  addSkills(skills: readonly StoredSkill[]): Promise<void>;
  /** The files of the skill with that digest; null if the store does not have it. */
  skill(digest: string): Promise<StoredSkill | null>;
  /**
   * Makes these files the newest generation, in one step. `expected` is the version that the writer continues, null for none.
   * Rejects with `STORE_FENCED`, `STORE_CONFLICT`, or `STORE_DAMAGED` if an object is missing.
   */
  publish(
    lease: Lease,
    expected: number | null,
    next: Pick<PublishedIndex, 'generation' | 'files'>,
  ): Promise<PublishedIndex>;
  /** The lease, if no one has one that was renewed within the last `ttlMs` of its own; else null. */
  acquire(line: string, holder: string, ttlMs: number): Promise<Lease | null>;
  /** Prolongs the lease; false if another holder has it by now. */
  renew(lease: Lease, ttlMs: number): Promise<boolean>;
  /** Gives the lease back, so that another gateway need not wait until it expires. */
  release(lease: Lease): Promise<void>;
  /** Calls back soon after something was published, by anyone. May miss changes: readers also ask by themselves. */
  onChange(listener: () => void): () => void;
  /** What the store holds. */
  status(): Promise<StoreStatus>;
  /**
   * Removes generations but the newest `keep` of each line, lines that no gateway has written for a week, skills that are not in `liveSkills`, and objects that nothing names.
   * What was added or published within the last `graceMs` stays: a writer may be about to publish it, a gateway may be fetching it. In
   * batches: what was removed stays removed where it rejects.
   */
  collect(options: CollectOptions): Promise<Collected>;
  close(): Promise<void>;
}

export interface CollectOptions {
  readonly keep: number;
  /** Null keeps all skills. */
  readonly liveSkills: readonly string[] | null;
  readonly graceMs: number;
  /** Called with what was removed so far. */
  readonly onProgress?: (collected: Collected) => void;
}

export interface Collected {
  readonly generations: number;
  readonly skills: number;
  readonly objects: number;
  /** Of the removed objects. */
  readonly bytes: number;
}

interface LineStatus {
  readonly line: string;
  readonly version: number;
  readonly generation: number;
  readonly publishedAt: Date;
  /** Of the files of its newest generation. */
  readonly bytes: number;
  /** Who may publish; null if the lease is free. */
  readonly writer: string | null;
  readonly fence: number;
}

export interface StoreStatus {
  readonly lines: readonly LineStatus[];
  readonly skills: number;
  readonly objects: number;
  /** Of all objects. */
  readonly bytes: number;
}

/**
 * - `STORE_UNREACHABLE`: the database does not answer. Trying again later may help.
 * - `STORE_CONNECTIONS`: it has no connection left for this gateway, or for its role.
 * - `STORE_FULL`: its disk is full; nothing was published. Trying again helps once there is space.
 * - `STORE_MISSING`: it answers, and holds no store: `skillgate store init` makes one.
 * - `STORE_SCHEMA`: its tables are of a version that this program cannot use.
 * - `STORE_REFUSED`: the role or user may not do this.
 * - `STORE_FENCED`: the lease was lost, so another gateway is the writer; nothing was published.
 * - `STORE_CONFLICT`: another generation was published meanwhile; nothing was published.
 * - `STORE_DAMAGED`: an object is missing, or its bytes do not have its digest.
 */
export type StoreErrorCode =
  | 'STORE_UNREACHABLE'
  | 'STORE_CONNECTIONS'
  | 'STORE_FULL'
  | 'STORE_MISSING'
  | 'STORE_SCHEMA'
  | 'STORE_REFUSED'
  | 'STORE_FENCED'
  | 'STORE_CONFLICT'
  | 'STORE_DAMAGED';

export class StoreError extends CodedError<StoreErrorCode> {
  override readonly name = 'StoreError';
}

export const isStoreError = (error: unknown, ...codes: StoreErrorCode[]): error is StoreError =>
  error instanceof StoreError && (codes.length === 0 || codes.includes(error.code));

export function fenced({ line, holder }: { readonly line: string; readonly holder: string }): StoreError {
  return new StoreError(
    'STORE_FENCED',
    `${holder} has lost the lease of ${line}: another gateway is the writer. Nothing was published.`,
  );
}

export function conflict(line: string, expected: number | null, found: number | null): StoreError {
  return new StoreError(
    'STORE_CONFLICT',
    `The line ${line} has version ${found ?? 'none'}, not ${expected ?? 'none'} as expected. Nothing was published.`,
  );
}

export const full = (what: string, cause: Error) =>
  new StoreError(
    'STORE_FULL',
    `The disk of ${what} is full: ${errorMessage(cause)}. Nothing was published. Free space there.`,
    { cause },
  );

export const damaged = (sha256: string, what: string) =>
  new StoreError('STORE_DAMAGED', `The object ${sha256} of the store ${what}. It is fetched again later.`);
