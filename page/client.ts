/** Sends the page's requests. The token comes from the address that `skillgate explore` printed, or from the person. */

import { signal } from '@preact/signals';
import type { Api, ApiName } from '../extensions/explore/api.ts';

const TOKEN_KEY = 'skillgate-token';

/** True while the server wants a token that the page does not have. */
export const tokenWanted = signal(false);

/** Takes the token out of the address, so that it is in no bookmark and no history. */
export function takeToken(): void {
  const [, token] = /^#token=([\w.~+/=-]+)/.exec(location.hash) ?? [];
  if (token === undefined) return;
  keepToken(token);
  history.replaceState(null, '', '#/search');
}

/** Kept for this tab alone. */
export function keepToken(token: string): void {
  sessionStorage.setItem(TOKEN_KEY, token);
  tokenWanted.value = false;
}

/** Rejects with the server's message, or with an `AbortError`. */
export async function call<Name extends ApiName>(
  name: Name,
  request: Api[Name]['request'],
  signal?: AbortSignal,
): Promise<Api[Name]['answer']> {
  const token = sessionStorage.getItem(TOKEN_KEY);
  const response = await fetch(`./api/${name}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(token !== null && { authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify(request),
    signal,
  });
  if (response.status === 401) tokenWanted.value = true;
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
