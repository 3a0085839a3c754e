/** From a verified token to the principal that everything below takes as given, and back out of the SDK's hands. */

import type { AuthInfo } from '@modelcontextprotocol/server';
import { LOCAL, type Principal } from '../../gateway/principal.ts';

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

/** Who asks, by what authentication found; the person at this machine where there was none. */
export function principalOf(authInfo: AuthInfo | undefined): Principal {
  if (authInfo === undefined) return LOCAL;
  return { id: authInfo.clientId, scopes: authInfo.scopes };
}
