/** From a verified token to the `AuthInfo` that the SDK passes on, with the principal in it. */

import type { AuthInfo } from '@modelcontextprotocol/server';
import type { Principal } from '../../../gateway/policy/principal.ts';

interface Identity {
  readonly token: string;
  readonly id: string;
  readonly scopes: readonly string[];
  /** Seconds since the epoch; Infinity if it never expires. */
  readonly expiresAt: number;
}

/** The SDK passes it to the server factory; `extra.principal` is the `Principal`. */
export function authInfoOf({ token, id, scopes, expiresAt }: Identity): AuthInfo {
  const principal: Principal = { id, scopes: [...scopes] };
  return { token, clientId: id, scopes: [...scopes], expiresAt, extra: { principal } };
}
