/**
 * Fetches documents of an issuer: small, with a short timeout, over HTTPS, from a public address, without redirects, and
 * with a pause after a failure. `issuer.ts` reads the documents; `net/` checks the addresses.
 */

import { CodedError, messageOf } from '../../../base/errors.ts';
import { bytesOf, download } from '../../../base/net/download.ts';
import { openGuard } from '../../../base/net/guarded-fetch.ts';

/** Largest document, bytes: key sets have a few kilobytes. */
const MAX_BYTES = 256 * 2 ** 10;
/** Longest time for one document, ms: a caller is waiting. */
const TIMEOUT_MS = 5_000;
/** Pause after a failure, ms: bad tokens must not cause a flood of requests to the issuer. */
const COOLDOWN_MS = 10_000;

/**
 * - `ISSUER_UNAVAILABLE`: a document cannot be fetched.
 * - `ISSUER_METADATA`: no usable metadata of the issuer was found.
 */
type IssuerErrorCode = 'ISSUER_UNAVAILABLE' | 'ISSUER_METADATA';

/** The message is one sentence for the operator. */
export class IssuerError extends CodedError<IssuerErrorCode> {
  override readonly name = 'IssuerError';
}

interface IssuerFetchOptions {
  /** Origins that may be private and without TLS, for an issuer in the operator's network. */
  readonly privateOrigins: readonly string[];
  /** Milliseconds, monotonic or not. */
  readonly now: () => number;
}

/** Returns a document's text. Rejects with `IssuerError`. */
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
      const error = new IssuerError('ISSUER_UNAVAILABLE', messageOf(cause), { cause });
      failed.set(address, { at: now(), error });
      throw error;
    }
  };
}

/** Closes its connection: keys are fetched every ten minutes, and an idle connection would delay the process's end. */
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
