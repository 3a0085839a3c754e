/** Sends the page's requests. */

import { signal } from '@preact/signals';
import type { Api, ApiName } from '../extensions/explore/api.ts';
import { token } from './token.ts';

/** Whether the server wants another token: it has none from the page, or one that is void. */
export const tokenWanted = signal<'missing' | 'void' | null>(null);

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
  if (!response.ok) throw new Error(body.error ?? 'The server could not answer.');
  return body;
}
