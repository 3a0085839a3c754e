/** Errors of the store: one class with a `code`. */

import { CodedError, messageOf } from '../../src/base/errors.ts';

/**
 * - `STORE_UNREACHABLE`: the database does not answer. Trying again later may help.
 * - `STORE_FULL`: its disk is full; nothing was published. Trying again helps once there is space.
 * - `STORE_MISSING`: it answers, and holds no store: `skillgate store init` makes one.
 * - `STORE_SCHEMA`: its tables are of a version that this program cannot use.
 * - `STORE_REFUSED`: the role or user may not do this.
 * - `STORE_FENCED`: the lease was lost, so another gateway is the writer; nothing was published.
 * - `STORE_CONFLICT`: another generation was published meanwhile; nothing was published.
 * - `STORE_DAMAGED`: an object is missing, or its bytes do not have its digest.
 */
export type StoreErrorCode =
  | 'STORE_UNREACHABLE'
  | 'STORE_FULL'
  | 'STORE_MISSING'
  | 'STORE_SCHEMA'
  | 'STORE_REFUSED'
  | 'STORE_FENCED'
  | 'STORE_CONFLICT'
  | 'STORE_DAMAGED';

export class StoreError extends CodedError<StoreErrorCode> {
  override readonly name = 'StoreError';
}

export const isStoreError = (error: unknown, ...codes: StoreErrorCode[]): error is StoreError =>
  error instanceof StoreError && (codes.length === 0 || codes.includes(error.code));

export function fenced({ line, holder }: { readonly line: string; readonly holder: string }): StoreError {
  return new StoreError(
    'STORE_FENCED',
    `${holder} has lost the lease of ${line}: another gateway is the writer. Nothing was published.`,
  );
}

export function conflict(line: string, expected: number | null, found: number | null): StoreError {
  return new StoreError(
    'STORE_CONFLICT',
    `The line ${line} has version ${found ?? 'none'}, not ${expected ?? 'none'} as expected. Nothing was published.`,
  );
}

export const full = (what: string, cause: Error) =>
  new StoreError(
    'STORE_FULL',
    `The disk of ${what} is full: ${messageOf(cause)}. Nothing was published. Free space there.`,
    { cause },
  );

export const damaged = (sha256: string, what: string) =>
  new StoreError('STORE_DAMAGED', `The object ${sha256} of the store ${what}. It is fetched again later.`);
