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
