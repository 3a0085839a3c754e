/** Sends the page's requests. The token comes from the address that `skillgate explore` printed, or from the person. */

import { signal } from '@preact/signals';
import type { Api, ApiName } from '../extensions/explore/api.ts';
import { addressOf, replaceAddress } from './route.ts';

const KEY = 'skillgate-token';

/** Whether the server wants another token: it has none from the page, or one that is void. */
export const tokenWanted = signal<'missing' | 'void' | null>(null);

const token = (): string | null => sessionStorage.getItem(KEY) ?? localStorage.getItem(KEY);

/**
 * Takes the token out of the address, so that it is in no bookmark and no history. One that stays valid when `skillgate
 * explore` is started again is kept for all tabs, so that links work in a new one.
 */
export function takeToken(): void {
  const [, kept, given] = /^#(kept-)?token=([\w.~+/=-]+)/.exec(location.hash) ?? [];
  if (given === undefined) return;
  if (kept !== undefined) localStorage.setItem(KEY, given);
  keepToken(given);
  replaceAddress(addressOf('search'));
}

/** Kept for this tab alone. */
export function keepToken(given: string): void {
  sessionStorage.setItem(KEY, given);
  tokenWanted.value = null;
}

/** The server does not answer. */
export class Unreachable extends Error {}

/** Rejects with the server's message, with `Unreachable`, or with an `AbortError`. */
export async function call<Name extends ApiName>(
  name: Name,
  request: Api[Name]['request'],
  signal?: AbortSignal,
): Promise<Api[Name]['answer']> {
  const sent = token();
  // Only answers to a GET stay in the browser's cache.
  const post = { method: 'POST', body: JSON.stringify(request) };
  const response = await fetch(`./api/${name}`, {
    ...(Object.keys(request).length > 0 && post),
    headers: {
      'content-type': 'application/json',
      ...(sent !== null && { authorization: `Bearer ${sent}` }),
    },
    signal,
  }).catch((cause: Error) => {
    throw cause.name === 'AbortError' ? cause : new Unreachable('The server does not answer.', { cause });
  });
  if (response.status === 401) tokenWanted.value = sent === null ? 'missing' : 'void';
  const body = await response.json();
  if (!response.ok) throw new Error(messageIn(body));
  return body;
}

function messageIn(body: unknown): string {
  if (typeof body !== 'object' || body === null) return 'The server could not answer.';
  if ('error' in body && typeof body.error === 'string') return body.error;
  if ('error' in body && typeof body.error === 'object' && body.error !== null && 'message' in body.error)
    return String(body.error.message);
  return 'The server could not answer.';
}
