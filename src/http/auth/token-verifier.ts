/** Verifies tokens of the token file. The file is read again when it changes, so a revocation works immediately. */

import { stat } from 'node:fs/promises';
import type { AuthInfo } from '@modelcontextprotocol/server';
import { messageOf } from '../../errors/public.ts';
import { AuthError } from './errors.ts';
import { authInfoOf } from './identity.ts';
import { readTokens, type TokenRecord } from './token-file.ts';
import { recordOf, stateOf } from './tokens.ts';

export type Verify = (token: string) => Promise<AuthInfo>;

/** How often the file is checked at most, ms: a revoked token may be accepted for this long. */
const CHECK_MS = 500;

interface TokenVerifierOptions {
  readonly file: string;
  readonly now: () => Date;
  /** Writes one line for the operator. */
  readonly log: (message: string) => void;
}

/** Rejects with `AuthError`. */
export function tokenVerifier({ file, now, log }: TokenVerifierOptions): Verify {
  let tokens: readonly TokenRecord[] = [];
  let version = '';
  let checkedAt = Number.NEGATIVE_INFINITY;
  let checking: Promise<void> | null = null;
  let lastLogged = '';

  const check = async () => {
    const found = await versionOf(file);
    if (found !== version) tokens = await readTokens(file);
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
      const message = messageOf(cause);
      if (message !== lastLogged) log(message);
      lastLogged = message;
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

/** Differs after each change: a file that is renamed into place has another inode. */
async function versionOf(file: string): Promise<string> {
  const found = await stat(file, { bigint: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
  return found === null ? 'none' : `${found.ino} ${found.mtimeNs} ${found.size}`;
}
