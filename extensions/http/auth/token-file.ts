/**
 * The file of bearer tokens: one record per token, read and replaced as a whole. A token has 256 random bits, so its
 * SHA-256 reveals nothing and needs neither a salt nor a slow hash; the token itself is never written. `tokens.ts`
 * decides whether a token is valid.
 */

import type { Stats } from 'node:fs';
import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import * as z from 'zod';
import type { TokenRecord, TokenStore } from '../../../src/app/extension-api.ts';
import { CodedError, errorMessage, systemCode } from '../../../src/base/errors.ts';
import { lock } from '../../../src/base/files/lock.ts';
import { FileError } from '../../../src/base/files/open.ts';
import { readRegular } from '../../../src/base/files/read.ts';
import { replaceFile } from '../../../src/base/files/replace.ts';

/** Size limit of the file, bytes: some 100,000 tokens. */
const MAX_BYTES = 32 * 2 ** 20;
const WRITABLE_BY_OTHERS = 0o022;

/** Name of the principal in policy and logs; `local` is reserved for the local user. */
export const tokenNameSchema = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._@-]{0,63}$/, 'must have letters, digits and . _ @ -, at most 64')
  .refine((name) => name !== 'local', { message: 'must not be "local", which is the local user' });
/** A scope-token of RFC 6749. */
export const scopeSchema = z
  .string()
  .regex(/^[\x21\x23-\x5B\x5D-\x7E]{1,128}$/, 'must have visible characters except " and \\');

const recordSchema = z.strictObject({
  name: tokenNameSchema,
  /** SHA-256 of the token, hexadecimal. */
  hash: z.string().regex(/^[0-9a-f]{64}$/),
  scopes: z.array(scopeSchema),
  created: z.iso.datetime(),
  /** Null if it never expires. */
  expires: z.iso.datetime().nullable(),
  /** When it was revoked; null if it was not. */
  revoked: z.iso.datetime().nullable(),
});
const fileSchema = z.strictObject({ version: z.literal(1), tokens: z.array(recordSchema) });

/**
 * - `TOKEN_FILE_INVALID`: not a file that `skillgate token` wrote.
 * - `TOKEN_FILE_UNREADABLE`, `TOKEN_FILE_UNWRITABLE`: the operating system refuses access.
 * - `TOKEN_FILE_LOCKED`: another process holds the lock too long.
 * - `TOKEN_FILE_EXPOSED`: users other than its owner can write it.
 */
type TokenFileErrorCode =
  | 'TOKEN_FILE_INVALID'
  | 'TOKEN_FILE_UNREADABLE'
  | 'TOKEN_FILE_UNWRITABLE'
  | 'TOKEN_FILE_LOCKED'
  | 'TOKEN_FILE_EXPOSED';

export class TokenFileError extends CodedError<TokenFileErrorCode> {
  override readonly name = 'TokenFileError';
}

/** Tokens in a file, absolute. */
const fileTokens = (file: string): TokenStore => ({
  name: file,
  followed: 'within a second',
  version: () => fileVersion(file),
  read: () => readTokens(file),
  change: (change) => changeTokens(file, change),
});

/** A path means the file there. */
export const openTokenStore = (tokens: string | TokenStore): TokenStore =>
  typeof tokens === 'string' ? fileTokens(tokens) : tokens;

/** Differs after each change: a file that is renamed into place has another inode. */
async function fileVersion(file: string): Promise<string> {
  const found = await stat(file, { bigint: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
  return found === null ? 'none' : `${found.ino} ${found.mtimeNs} ${found.size}`;
}

/** Tokens from JSON of any origin; null means none. Throws `TOKEN_FILE_INVALID`, naming where they come from. */
export function tokensIn(value: unknown, name: string): readonly TokenRecord[] {
  if (value === null) return [];
  const parsed = fileSchema.safeParse(value);
  if (parsed.success) return parsed.data.tokens;
  throw invalid(name, z.prettifyError(parsed.error), parsed.error);
}

/** What is written for these tokens. */
export const tokensJson = (tokens: readonly TokenRecord[]) => ({ version: 1, tokens });

/** The tokens in order of creation; empty if there is no file. Rejects with `TokenFileError`. */
export async function readTokens(file: string): Promise<readonly TokenRecord[]> {
  let text: string;
  try {
    text = Buffer.from(await readRegular(file, MAX_BYTES, (found) => demandUnshared(file, found))).toString(
      'utf8',
    );
  } catch (cause) {
    if (cause instanceof TokenFileError) throw cause;
    if (cause instanceof FileError && cause.code === 'FILE_MISSING') return [];
    throw new TokenFileError(
      'TOKEN_FILE_UNREADABLE',
      cause instanceof FileError
        ? `The token file ${file} ${cause.reason}`
        : `The token file ${file} cannot be read: ${errorMessage(cause)}.`,
      { cause },
    );
  }
  try {
    return tokensIn(JSON.parse(text) ?? undefined, file);
  } catch (cause) {
    throw cause instanceof TokenFileError ? cause : invalid(file, errorMessage(cause), cause);
  }
}

const invalid = (name: string, reason: string, cause: unknown) =>
  new TokenFileError(
    'TOKEN_FILE_INVALID',
    `The token file ${name} is not valid: ${reason}. Restore it, or delete it and create new tokens.`,
    { cause },
  );

/** Windows keeps such rights elsewhere. */
function demandUnshared(file: string, { mode }: Stats): void {
  if (process.platform === 'win32' || (mode & WRITABLE_BY_OTHERS) === 0) return;
  throw new TokenFileError(
    'TOKEN_FILE_EXPOSED',
    `The token file ${file} may be written by others (mode ${(mode & 0o777).toString(8)}), who could add tokens. Look for tokens that you do not know, then run: chmod 600 ${file}`,
  );
}

/** Replaces the tokens with `change(tokens)` under a lock between processes. Rejects with `TokenFileError`. */
async function changeTokens(
  file: string,
  change: (tokens: readonly TokenRecord[]) => readonly TokenRecord[],
): Promise<void> {
  const release = await locked(file);
  try {
    const tokens = change(await readTokens(file));
    write(file, `${JSON.stringify(tokensJson(tokens), null, 2)}\n`);
  } finally {
    await release().catch(() => {});
  }
}

/** Longest wait for another process that changes the file, ms. */
const PATIENCE_MS = 4_000;

async function locked(file: string): Promise<() => Promise<void>> {
  try {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    return await lock(`${file}.lock`, { patienceMs: PATIENCE_MS });
  } catch (cause) {
    if (systemCode(cause) === 'ELOCKED')
      throw new TokenFileError(
        'TOKEN_FILE_LOCKED',
        `The token file ${file} is being changed by another process. Try again.`,
        { cause },
      );
    throw unwritable(file, cause);
  }
}

/** Only the owner may read it. */
function write(file: string, text: string): void {
  try {
    replaceFile(file, text, 0o600);
  } catch (cause) {
    throw unwritable(file, cause);
  }
}

const unwritable = (file: string, cause: unknown) =>
  new TokenFileError(
    'TOKEN_FILE_UNWRITABLE',
    `The token file ${file} cannot be written: ${errorMessage(cause)}.`,
    { cause },
  );
