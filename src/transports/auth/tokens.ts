/** Bearer tokens: making one, taking one back, and telling whose one is. Where they are kept is `token-file.ts`. */

import { createHash, timingSafeEqual } from 'node:crypto';
import { changeTokens, readTokens, type TokenRecord } from './token-file.ts';

/** So that a leaked token is recognised for what it is, by people and by scanners of repositories. */
const PREFIX = 'sgt_';
/** 256 bits: nobody guesses one, however many tries there are. */
const TOKEN_BYTES = 32;
const TOKEN = new RegExp(`^${PREFIX}[A-Za-z0-9_-]{43}$`);

/**
 * - `TOKEN_EXISTS`: a good token of that name is there.
 * - `TOKEN_UNKNOWN`: no good token of that name is there.
 */
export type TokenErrorCode = 'TOKEN_EXISTS' | 'TOKEN_UNKNOWN';

export class TokenError extends Error {
  override readonly name = 'TokenError';
  readonly code: TokenErrorCode;

  constructor(code: TokenErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}

export interface NewToken {
  readonly name: string;
  readonly scopes: readonly string[];
  /** Null for one that never expires. */
  readonly expires: Date | null;
}

export interface Making {
  readonly now: Date;
  /** Cryptographically strong. */
  readonly random: (bytes: number) => Uint8Array;
}

/** Adds a token to the file and returns it: nobody can show it again. A name whose token is no longer good is free. */
export async function createToken(
  file: string,
  { name, scopes, expires }: NewToken,
  { now, random }: Making,
): Promise<string> {
  const token = `${PREFIX}${Buffer.from(random(TOKEN_BYTES)).toString('base64url')}`;
  await changeTokens(file, (tokens) => {
    const others = tokens.filter((record) => record.name !== name);
    if (tokens.some((record) => record.name === name && stateOf(record, now) === 'good'))
      throw new TokenError(
        'TOKEN_EXISTS',
        `There is a token "${name}" already. Choose another name, or revoke it first: skillgate token revoke ${name}`,
      );
    const record: TokenRecord = {
      name,
      hash: hashOf(token).toString('hex'),
      scopes: [...scopes],
      created: now.toISOString(),
      expires: expires?.toISOString() ?? null,
      revoked: null,
    };
    return [...others, record];
  });
  return token;
}

/** Takes a token back; it stays listed as revoked. */
export async function revokeToken(file: string, name: string, now: Date): Promise<void> {
  await changeTokens(file, (tokens) => {
    if (!tokens.some((record) => record.name === name && record.revoked === null))
      throw new TokenError(
        'TOKEN_UNKNOWN',
        `There is no token "${name}" to revoke in ${file}. See: skillgate token list`,
      );
    return tokens.map((record) =>
      record.name === name && record.revoked === null ? { ...record, revoked: now.toISOString() } : record,
    );
  });
}

export const listTokens = readTokens;

export type TokenState = 'good' | 'expired' | 'revoked';

export function stateOf({ expires, revoked }: TokenRecord, now: Date): TokenState {
  if (revoked !== null) return 'revoked';
  return expires !== null && Date.parse(expires) <= now.getTime() ? 'expired' : 'good';
}

/** True for what looks like one of ours, good or not. */
export const isOurToken = (text: string): boolean => text.startsWith(PREFIX);

/** The record of a token, whatever its state. Takes the same time wherever the hashes differ, and whichever it is. */
export function recordOf(tokens: readonly TokenRecord[], token: string): TokenRecord | undefined {
  if (!TOKEN.test(token)) return undefined;
  const hash = hashOf(token);
  let found: TokenRecord | undefined;
  for (const record of tokens) if (timingSafeEqual(Buffer.from(record.hash, 'hex'), hash)) found = record;
  return found;
}

const hashOf = (token: string) => createHash('sha256').update(token).digest();
