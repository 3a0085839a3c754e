/**
 * The file of bearer tokens: what is kept of each, read and replaced whole. A token is 256 random bits, so its SHA-256
 * gives nothing away and needs neither salt nor slowness; the token itself is never written. What makes a token good
 * is `tokens.ts`.
 */

import { randomBytes } from 'node:crypto';
import { mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import lockfile from 'proper-lockfile';
import * as z from 'zod';

/** What policy and logs call the holder; `local` is the person at this machine. */
export const tokenNameSchema = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._@-]{0,63}$/, 'takes letters, digits and . _ @ -, at most 64')
  .refine((name) => name !== 'local', { message: '"local" means the person at this machine' });
/** A scope-token of RFC 6749. */
export const scopeSchema = z
  .string()
  .regex(/^[\x21\x23-\x5B\x5D-\x7E]{1,128}$/, 'takes visible characters but " and \\');

const recordSchema = z.strictObject({
  name: tokenNameSchema,
  /** SHA-256 of the token, hexadecimal. */
  hash: z.string().regex(/^[0-9a-f]{64}$/),
  scopes: z.array(scopeSchema),
  created: z.iso.datetime(),
  /** Null where it never does. */
  expires: z.iso.datetime().nullable(),
  /** When it was taken back; null while it is good. */
  revoked: z.iso.datetime().nullable(),
});
const fileSchema = z.strictObject({ version: z.literal(1), tokens: z.array(recordSchema) });

export type TokenRecord = z.output<typeof recordSchema>;

/**
 * - `TOKEN_FILE_INVALID`: it is not what `skillgate token` writes.
 * - `TOKEN_FILE_UNREADABLE`, `TOKEN_FILE_UNWRITABLE`: the system says no.
 * - `TOKEN_FILE_LOCKED`: another process keeps changing it.
 */
export type TokenFileErrorCode =
  | 'TOKEN_FILE_INVALID'
  | 'TOKEN_FILE_UNREADABLE'
  | 'TOKEN_FILE_UNWRITABLE'
  | 'TOKEN_FILE_LOCKED';

export class TokenFileError extends Error {
  override readonly name = 'TokenFileError';
  readonly code: TokenFileErrorCode;

  constructor(code: TokenFileErrorCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
  }
}

/** Its tokens in the order of their creation; none where there is no file. Rejects with `TokenFileError`. */
export async function readTokens(file: string): Promise<readonly TokenRecord[]> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (cause) {
    if (codeOf(cause) === 'ENOENT') return [];
    throw new TokenFileError(
      'TOKEN_FILE_UNREADABLE',
      `The token file ${file} cannot be read: ${reasonOf(cause)}.`,
      cause,
    );
  }
  try {
    return fileSchema.parse(JSON.parse(text)).tokens;
  } catch (cause) {
    const reason = cause instanceof z.ZodError ? z.prettifyError(cause) : reasonOf(cause);
    throw new TokenFileError(
      'TOKEN_FILE_INVALID',
      `The token file ${file} is not valid: ${reason}. Restore it, or delete it and make new tokens.`,
      cause,
    );
  }
}

/** Replaces the tokens by what `change` makes of them; two processes take turns. Rejects with `TokenFileError`. */
export async function changeTokens(
  file: string,
  change: (tokens: readonly TokenRecord[]) => readonly TokenRecord[],
): Promise<void> {
  const release = await lock(file);
  try {
    const tokens = change(await readTokens(file));
    await replace(file, `${JSON.stringify({ version: 1, tokens }, null, 2)}\n`);
  } finally {
    await release();
  }
}

/** Longest wait for another process that changes the file: 40 tries of at most 100 ms. */
const RETRIES = { retries: 40, minTimeout: 25, maxTimeout: 100 };

async function lock(file: string): Promise<() => Promise<void>> {
  try {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    // The file need not exist yet.
    return await lockfile.lock(file, { realpath: false, retries: RETRIES });
  } catch (cause) {
    if (codeOf(cause) === 'ELOCKED')
      throw new TokenFileError(
        'TOKEN_FILE_LOCKED',
        `The token file ${file} is being changed by another process. Try again.`,
        cause,
      );
    throw unwritable(file, cause);
  }
}

/** Renamed into place, so that a reader sees the old tokens or the new ones; for its owner only. */
async function replace(file: string, text: string): Promise<void> {
  const temporary = `${file}.${randomBytes(6).toString('hex')}`;
  try {
    const handle = await open(temporary, 'wx', 0o600);
    try {
      await handle.writeFile(text);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temporary, file);
  } catch (cause) {
    await rm(temporary, { force: true });
    throw unwritable(file, cause);
  }
}

const unwritable = (file: string, cause: unknown) =>
  new TokenFileError(
    'TOKEN_FILE_UNWRITABLE',
    `The token file ${file} cannot be written: ${reasonOf(cause)}.`,
    cause,
  );
const reasonOf = (error: unknown) => (error instanceof Error ? error.message : String(error));
const codeOf = (error: unknown) => (error instanceof Error && 'code' in error ? error.code : undefined);
