/** Bearer tokens: create, revoke, look up. `token-file.ts` stores them. */

import { createHash, timingSafeEqual } from 'node:crypto';
import type { TokenRecord, TokenStore } from '../../../src/app/extension-api.ts';
import { CodedError } from '../../../src/base/errors.ts';
import { openTokenStore } from './token-file.ts';

/** Makes a leaked token recognisable for people and for secret scanners. */
const PREFIX = 'sgt_';
/** 256 bits, too many to guess. */
const TOKEN_BYTES = 32;
const TOKEN = new RegExp(`^${PREFIX}[A-Za-z0-9_-]{43}$`);

/**
 * - `TOKEN_EXISTS`: there is a valid token of that name.
 * - `TOKEN_UNKNOWN`: there is no token of that name to revoke.
 */
type TokenErrorCode = 'TOKEN_EXISTS' | 'TOKEN_UNKNOWN';

export class TokenError extends CodedError<TokenErrorCode> {
  override readonly name = 'TokenError';
}

interface NewToken {
  readonly name: string;
  readonly scopes: readonly string[];
  /** Null for one that never expires. */
  readonly expires: Date | null;
}

interface ClockAndRandom {
  readonly now: Date;
  /** Cryptographically strong. */
  readonly random: (bytes: number) => Uint8Array;
}

/** Adds a token and returns it; it cannot be shown again. Replaces an expired or revoked token of that name. */
export async function createToken(
  tokens: string | TokenStore,
  { name, scopes, expires }: NewToken,
  { now, random }: ClockAndRandom,
): Promise<string> {
  const token = `${PREFIX}${Buffer.from(random(TOKEN_BYTES)).toString('base64url')}`;
  await openTokenStore(tokens).change((tokens) => {
    const others = tokens.filter((record) => record.name !== name);
    if (tokens.some((record) => record.name === name && tokenState(record, now) === 'good'))
      throw new TokenError(
        'TOKEN_EXISTS',
        `There is already a token "${name}". Choose another name, or revoke it first: skillgate token revoke ${name}`,
      );
    const record: TokenRecord = {
      name,
      hash: hashToken(token).toString('hex'),
      scopes: [...scopes],
      created: now.toISOString(),
      expires: expires?.toISOString() ?? null,
      revoked: null,
    };
    return [...others, record];
  });
  return token;
}

/** Revokes a token; it stays in the list as revoked. */
export async function revokeToken(tokens: string | TokenStore, name: string, now: Date): Promise<void> {
  const store = openTokenStore(tokens);
  await store.change((tokens) => {
    if (!tokens.some((record) => record.name === name && record.revoked === null))
      throw new TokenError(
        'TOKEN_UNKNOWN',
        `There is no token "${name}" to revoke in ${store.name}. See: skillgate token list`,
      );
    return tokens.map((record) =>
      record.name === name && record.revoked === null ? { ...record, revoked: now.toISOString() } : record,
    );
  });
}

/** In order of creation. */
export const listTokens = (tokens: string | TokenStore) => openTokenStore(tokens).read();

type TokenState = 'good' | 'expired' | 'revoked';

export function tokenState({ expires, revoked }: TokenRecord, now: Date): TokenState {
  if (revoked !== null) return 'revoked';
  return expires !== null && Date.parse(expires) <= now.getTime() ? 'expired' : 'good';
}

/** True for a text with the prefix of our tokens, valid or not. */
export const isOurToken = (text: string): boolean => text.startsWith(PREFIX);

/** The record of a token in any state. Constant time over all records and hashes. */
export function findRecord(tokens: readonly TokenRecord[], token: string): TokenRecord | undefined {
  if (!TOKEN.test(token)) return undefined;
  const hash = hashToken(token);
  let found: TokenRecord | undefined;
  for (const record of tokens) if (timingSafeEqual(Buffer.from(record.hash, 'hex'), hash)) found = record;
  return found;
}

const hashToken = (token: string) => createHash('sha256').update(token).digest();
