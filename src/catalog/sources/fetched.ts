/**
 * Sources that are elsewhere: each kind fetches into a folder of its own on disk, and is scanned there like any
 * local one. So a source that cannot be reached still serves what it last held, and reading never waits for a peer.
 */

import type { Source } from './source.ts';

/** What a source was last known to be. */
export interface SourceStatus {
  readonly name: string;
  readonly kind: 'git' | 'mcp' | 'well-known' | 'archive';
  /** Where it comes from, without credentials. */
  readonly origin: string;
  /** What was resolved: a commit, or `sha256:…` over the paths and contents. Null before the first fetch. */
  readonly resolved: string | null;
  /** When that was last known to be what the origin has, ISO 8601; null before the first fetch. */
  readonly verifiedAt: string | null;
  /** Why the last fetch failed, in one sentence with what to do; null where it did not. It is then stale. */
  readonly failure: string | null;
}

/** What every kind is given, beside what is its own. */
export interface FetchOptions {
  readonly name: string;
  /** Folder of its own on disk, absolute; made when needed. Nothing else writes there. */
  readonly place: string;
  readonly refreshMs: number;
  /** Longest time of one fetch, ms. */
  readonly timeoutMs: number;
  /** A fetch that holds more is refused whole; what was fetched before stays. */
  readonly maxSkills: number;
  readonly maxBytes: number;
  /** What it may not move from (`resolved` in the lockfile); null leaves it free. */
  readonly pinned: string | null;
  readonly now: () => Date;
}

export interface FetchedSource extends Source {
  /** How long what was fetched counts as fresh, ms. */
  readonly refreshMs: number;
  readonly status: () => SourceStatus;
  /**
   * Fetches what is new. True where skills changed, so that the next scan differs. Never rejects: failures are in
   * `status`, and what was fetched before stays. Rejects with the signal's reason where that aborts.
   */
  refresh(signal?: AbortSignal): Promise<boolean>;
  /** Told by the origin that something changed, where it can tell; returns how to stop. */
  onNotice?(listener: () => void): () => void;
  close(): Promise<void>;
}

export const isFetched = (source: Source): source is FetchedSource => 'refresh' in source;
