/** Whose a bearer token of the token file is. The file is read again when it changes: a revoked token ends at once. */

import { stat } from 'node:fs/promises';
import type { AuthInfo } from '@modelcontextprotocol/server';
import { AuthError } from './errors.ts';
import { authInfoOf } from './identity.ts';
import { readTokens, type TokenRecord } from './token-file.ts';
import { recordOf, stateOf } from './tokens.ts';

export type Verify = (token: string) => Promise<AuthInfo>;

/** How long a look at the file counts, ms: so long a revoked token may still be taken. */
const LOOK_MS = 1_000;

export interface TokenVerifierOptions {
  readonly file: string;
  readonly now: () => Date;
  /** Writes one line for the operator. */
  readonly log: (message: string) => void;
}

/** Rejects with `AuthError`. */
export function tokenVerifier({ file, now, log }: TokenVerifierOptions): Verify {
  let tokens: readonly TokenRecord[] = [];
  let version = '';
  let looked = Number.NEGATIVE_INFINITY;
  let looking: Promise<void> | null = null;
  let complaint = '';

  const look = async () => {
    const seen = await versionOf(file);
    if (seen !== version) tokens = await readTokens(file);
    version = seen;
    looked = now().getTime();
    complaint = '';
  };

  const current = async (): Promise<readonly TokenRecord[]> => {
    if (Math.abs(now().getTime() - looked) < LOOK_MS) return tokens;
    looking ??= look().finally(() => {
      looking = null;
    });
    try {
      await looking;
    } catch (cause) {
      // Old tokens might be revoked ones by now: nobody is let in until the file can be read.
      const message = cause instanceof Error ? cause.message : String(cause);
      if (message !== complaint) log(message);
      complaint = message;
      throw new AuthError('unavailable', 'Tokens cannot be checked at the moment.', { cause });
    }
    return tokens;
  };

  return async (token) => {
    const record = recordOf(await current(), token);
    if (record === undefined) throw new AuthError('unknown', 'The token is not known here.');
    const state = stateOf(record, now());
    if (state !== 'good') throw new AuthError(state, `The token is ${state}.`);
    const expiresAt = record.expires === null ? Number.POSITIVE_INFINITY : Date.parse(record.expires) / 1_000;
    return authInfoOf({ token, id: record.name, scopes: record.scopes, expiresAt });
  };
}

/** Differs after each change; a file that is renamed into place has another number. */
async function versionOf(file: string): Promise<string> {
  const found = await stat(file, { bigint: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
  return found === null ? 'none' : `${found.ino} ${found.mtimeNs} ${found.size}`;
}
