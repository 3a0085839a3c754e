/** Encodes where the next page begins as an opaque string that is bound to its search. */

import { hash } from 'node:crypto';
import { CodedError } from '../base/errors.ts';

/** Short, because every answer shows it to a model. */
const FORM = /^([1-9]\d{0,9})-([0-9a-f]{8})$/;

/**
 * - `CURSOR_INVALID`: the text is not a cursor.
 * - `CURSOR_MISMATCH`: the cursor belongs to another query or filter.
 */
type CursorErrorCode = 'CURSOR_INVALID' | 'CURSOR_MISMATCH';

/** The cursor does not continue this search. */
export class CursorError extends CodedError<CursorErrorCode> {
  override readonly name = 'CursorError';
}

/** `identity` identifies the search: its query and filter. */
export function encodeCursor(offset: number, identity: unknown): string {
  return `${offset}-${fingerprint(identity)}`;
}

/** Offset of the page's first hit, from 0; 0 without a cursor. Throws `CursorError`. */
export function decodeCursor(cursor: string | undefined, identity: unknown): number {
  if (cursor === undefined) return 0;
  const [, offset, of] = FORM.exec(cursor) ?? [];
  if (offset === undefined)
    throw new CursorError(
      'CURSOR_INVALID',
      'The cursor is not one of skillgate’s: pass next_cursor unchanged, or leave it out to start over.',
    );
  if (of !== fingerprint(identity))
    throw new CursorError(
      'CURSOR_MISMATCH',
      'The cursor belongs to another query or filter: repeat those, or leave the cursor out.',
    );
  return Number(offset);
}

const fingerprint = (identity: unknown) => hash('sha256', JSON.stringify(identity)).slice(0, 8);
