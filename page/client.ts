/** Sends the page's requests. */

import { signal } from '@preact/signals';
import type { Api, ApiName } from '../extensions/explore/api.ts';
import { keepToken, token } from './token.ts';

/** Whether the server wants another token: it has none from the page, or one that is void. */
export const tokenWanted = signal<'missing' | 'void' | null>(null);

/** Asks with another token from now on. */
export function askWith(given: string): void {
  keepToken(given);
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
