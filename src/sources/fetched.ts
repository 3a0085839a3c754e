/**
 * Sources that are elsewhere. Each kind fetches into its own folder on disk and is scanned there like a local source,
 * so a source that cannot be reached still serves what it last fetched, and reading never waits for a server.
 */

import type { Source } from './source.ts';
import type { UpstreamTools } from './upstream.ts';

/** The last known state of a source. */
export interface SourceStatus {
  readonly name: string;
  readonly kind: 'git' | 'mcp' | 'well-known' | 'archive';
  /** Where it comes from, without credentials. */
  readonly origin: string;
  /** The fetched version: a commit, or `sha256:…` over the paths and contents. Null before the first fetch. */
  readonly resolved: string | null;
  /** When that was last known to be the origin's version, ISO 8601; null before the first fetch. */
  readonly verifiedAt: string | null;
  /** Why the last fetch failed, in one sentence with what to do; null if it succeeded. With a failure it is stale. */
  readonly failure: string | null;
}

/** Options of every kind. */
export interface FetchOptions {
  readonly name: string;
  readonly requests?: string | undefined;
  /** The source's own folder on disk, absolute; created when needed. Nothing else may write there. */
  readonly cacheFolder: string;
  readonly refreshMs: number;
  /** Longest time of one fetch, ms. */
  readonly timeoutMs: number;
  /** A fetch that brings more is refused as a whole; what was fetched before stays. */
  readonly maxSkills: number;
  readonly maxBytes: number;
  /** The version it must not move from (`resolved` in the lockfile); null allows any. */
  readonly pinned: string | null;
  readonly now: () => Date;
}

export interface FetchedSource extends Source {
  /** How long fetched contents count as fresh, ms. */
  readonly refreshMs: number;
  readonly status: () => SourceStatus;
  /**
   * Fetches what is new. True if skills changed, so that the next scan differs. A failure is in `status` and leaves
   * what was fetched before. Rejects only with the signal's reason.
   */
  refresh(signal?: AbortSignal): Promise<boolean>;
  /** Calls `listener` when the origin reports a change; returns how to stop. Absent if the origin cannot report one. */
  onNotification?(listener: () => void): () => void;
  close(): Promise<void>;
}

/** A source that is another MCP server. */
export interface McpSource extends FetchedSource {
  /** The tools that the server offers next to its skills. It is not asked for them before they are needed. */
  readonly tools: UpstreamTools;
  onNotification(listener: () => void): () => void;
}

export const isFetched = (source: Source): source is FetchedSource => 'refresh' in source;

export const isMcpSource = (source: object): source is McpSource => 'tools' in source;
