/** Verifies tokens. They are read again when they change, so a revocation works immediately. */

import type { AuthInfo } from '@modelcontextprotocol/server';
import type { TokenRecord, TokenStore } from '../../../src/app/extension-api.ts';
import { errorMessage } from '../../../src/base/errors.ts';
import type { Principal } from '../../../src/gateway/policy/principal.ts';
import { AuthError } from './errors.ts';
import { openTokenStore } from './token-file.ts';
import { findRecord, tokenState } from './tokens.ts';

export type Verify = (token: string) => Promise<AuthInfo>;

/** How often the file is checked at most, ms: a revoked token may be accepted for this long. */
const CHECK_MS = 500;

interface TokenVerifierOptions {
  readonly tokens: string | TokenStore;
  readonly now: () => Date;
  /** Writes one line for the operator. */
  readonly log: (message: string) => void;
}

/** Rejects with `AuthError`. */
export function tokenVerifier({ tokens: kept, now, log }: TokenVerifierOptions): Verify {
  const store = openTokenStore(kept);
  let tokens: readonly TokenRecord[] = [];
  let version = '';
  let checkedAt = Number.NEGATIVE_INFINITY;
  let checking: Promise<void> | null = null;
  let lastLogged = '';

  const check = async () => {
    const found = await store.version();
    if (found !== version) tokens = await store.read();
    version = found;
    checkedAt = now().getTime();
    lastLogged = '';
  };

  const current = async (): Promise<readonly TokenRecord[]> => {
    if (Math.abs(now().getTime() - checkedAt) < CHECK_MS) return tokens;
    checking ??= check().finally(() => {
      checking = null;
    });
    try {
      await checking;
    } catch (cause) {
      // The known tokens may be revoked by now, so no token is accepted until the file can be read.
      const message = errorMessage(cause);
      if (message !== lastLogged) log(message);
      lastLogged = message;
      throw new AuthError('unavailable', 'Tokens cannot be checked at the moment.', { cause });
    }
    return tokens;
  };

  return async (token) => {
    const record = findRecord(await current(), token);
    if (record === undefined) throw new AuthError('unknown', 'The token is not known here.');
    const state = tokenState(record, now());
    if (state !== 'good') throw new AuthError(state, `The token is ${state}.`);
    const expiresAt = record.expires === null ? Number.POSITIVE_INFINITY : Date.parse(record.expires) / 1_000;
    return toAuthInfo({ token, id: record.name, scopes: record.scopes, expiresAt });
  };
}

interface Identity {
  readonly token: string;
  readonly id: string;
  readonly scopes: readonly string[];
  /** Seconds since the epoch; Infinity if it never expires. */
  readonly expiresAt: number;
}

/** The SDK passes it to the server factory; `extra.principal` is the `Principal`. */
export function toAuthInfo({ token, id, scopes, expiresAt }: Identity): AuthInfo {
  const principal: Principal = { id, scopes: [...scopes] };
  return { token, clientId: id, scopes: [...scopes], expiresAt, extra: { principal } };
}
