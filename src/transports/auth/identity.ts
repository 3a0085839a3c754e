/** From a verified token to the principal that everything below takes as given, in the form that the SDK carries. */

import type { AuthInfo } from '@modelcontextprotocol/server';
import type { Principal } from '../../gateway/principal.ts';

export interface Identity {
  readonly token: string;
  readonly id: string;
  readonly scopes: readonly string[];
  /** Seconds since the epoch; Infinity for never. */
  readonly expiresAt: number;
}

/** What the SDK carries to the server's factory: `extra.principal` is the `Principal`. */
export function authInfoOf({ token, id, scopes, expiresAt }: Identity): AuthInfo {
  const principal: Principal = { id, scopes: [...scopes] };
  return { token, clientId: id, scopes: [...scopes], expiresAt, extra: { principal } };
}
