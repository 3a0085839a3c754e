/**
 * Fetching what an issuer publishes: small, quickly, over HTTPS, from a public address, never by a redirect, and after
 * a failure not again for a while. What is done with it is `issuer.ts`'s; addresses are checked in `net/`.
 */

import { bytesOf, download } from '../../net/download.ts';
import { openGuard } from '../../net/guarded-fetch.ts';

/** Key sets are a few kilobytes; bytes. */
const MAX_BYTES = 256 * 2 ** 10;
/** Longest time for one document, ms: a caller waits for it. */
const TIMEOUT_MS = 5_000;
/** After a failure nobody is asked for so long, ms: bad tokens must not become a flood at the issuer. */
const COOLDOWN_MS = 10_000;

/** Why a document cannot be had, in one sentence for the operator. */
export class IssuerError extends Error {
  override readonly name = 'IssuerError';
}

export interface IssuerFetchOptions {
  /** Origins that may be private and without TLS: of an issuer in one's own network. */
  readonly privateOrigins: readonly string[];
  /** Milliseconds, monotonic or not. */
  readonly now: () => number;
}

/** Gives a document's text. Rejects with `IssuerError`. */
export type IssuerFetch = (url: string) => Promise<string>;

export function issuerFetch({ privateOrigins, now }: IssuerFetchOptions): IssuerFetch {
  const failed = new Map<string, { readonly at: number; readonly error: IssuerError }>();
  return async (address) => {
    const earlier = failed.get(address);
    if (earlier !== undefined && now() - earlier.at < COOLDOWN_MS) throw earlier.error;
    try {
      const text = await document(new URL(address), privateOrigins);
      failed.delete(address);
      return text;
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : String(cause);
      const error = new IssuerError(reason, { cause });
      failed.set(address, { at: now(), error });
      throw error;
    }
  };
}

/** Connections are not kept: keys are fetched every ten minutes, and a process that ends waits for no issuer. */
async function document(url: URL, privateOrigins: readonly string[]): Promise<string> {
  const guard = openGuard({ privateOrigins });
  try {
    const answer = await download((asked, init) => guard.fetch(asked, { ...init, redirect: 'error' }), url, {
      headers: { accept: 'application/json' },
      maxBytes: MAX_BYTES,
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    return Buffer.from(await bytesOf(answer)).toString('utf8');
  } finally {
    await guard.close();
  }
}
