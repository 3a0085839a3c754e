/**
 * Fetching what an issuer publishes: small, quickly, over HTTPS, from a public address, never by a redirect, and after
 * a failure not again for a while. What is done with it is `issuer.ts`'s.
 */

import { Agent, fetch } from 'undici';
import { isPublicAddress, literalOf, publicLookup } from './address.ts';

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
  /** Lets plain HTTP and private addresses through: for an issuer in one's own network. */
  readonly allowPrivate: boolean;
  /** Milliseconds, monotonic or not. */
  readonly now: () => number;
}

/** Gives a document's text. Rejects with `IssuerError`. */
export type IssuerFetch = (url: string) => Promise<string>;

export function issuerFetch({ allowPrivate, now }: IssuerFetchOptions): IssuerFetch {
  const agent = new Agent({
    connect: allowPrivate ? { timeout: TIMEOUT_MS } : { timeout: TIMEOUT_MS, lookup: publicLookup() },
    // A process that ends waits for no issuer.
    keepAliveTimeout: 1,
  });
  const failed = new Map<string, { readonly at: number; readonly error: IssuerError }>();
  return async (address) => {
    const earlier = failed.get(address);
    if (earlier !== undefined && now() - earlier.at < COOLDOWN_MS) throw earlier.error;
    try {
      const text = await document(permitted(address, allowPrivate), agent);
      failed.delete(address);
      return text;
    } catch (cause) {
      const error = new IssuerError(`${address} cannot be fetched: ${reasonOf(cause)}`, { cause });
      failed.set(address, { at: now(), error });
      throw error;
    }
  };
}

function permitted(address: string, allowPrivate: boolean): URL {
  const url = new URL(address);
  if (allowPrivate) return url;
  if (url.protocol !== 'https:')
    throw new Error('an issuer is asked over HTTPS only (auth.oauth.allowPrivate lets others in).');
  const literal = literalOf(url);
  if (literal !== null && !isPublicAddress(literal))
    throw new Error('its address is a private one (auth.oauth.allowPrivate lets it in).');
  return url;
}

async function document(url: URL, dispatcher: Agent): Promise<string> {
  const response = await fetch(url, {
    dispatcher,
    redirect: 'manual',
    headers: { accept: 'application/json' },
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  if (response.status !== 200) {
    await response.body?.cancel();
    throw new Error(`the answer has status ${response.status}.`);
  }
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength;
    if (size > MAX_BYTES) throw new Error(`the answer is longer than ${MAX_BYTES} bytes.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** The innermost reason: `fetch failed` by itself tells nobody anything. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? reasonOf(error.cause) : error.message;
}
