/** Where the next page begins, as an opaque string that refuses to continue another search. */

import { hash } from 'node:crypto';
import * as z from 'zod';

const schema = z.object({ offset: z.number().int().min(1), of: z.string() });

/** The cursor was not made by this search: another query, another filter, or not by us at all. */
export class CursorError extends Error {
  override readonly name = 'CursorError';
}

/** `identity` names the search that is continued (query and filter, say). */
export function encodeCursor(offset: number, identity: unknown): string {
  return Buffer.from(JSON.stringify({ offset, of: fingerprint(identity) })).toString('base64url');
}

/** Offset of the page's first hit, from 0; 0 without a cursor. Throws `CursorError`. */
export function decodeCursor(cursor: string | undefined, identity: unknown): number {
  if (cursor === undefined) return 0;
  const parsed = schema.safeParse(parseJson(Buffer.from(cursor, 'base64url').toString('utf8')));
  if (!parsed.success)
    throw new CursorError(
      'The cursor is not one of ours: pass next_cursor unchanged, or leave it out to start over.',
    );
  if (parsed.data.of !== fingerprint(identity))
    throw new CursorError(
      'The cursor belongs to another query or filter: repeat those, or leave the cursor out.',
    );
  return parsed.data.offset;
}

const fingerprint = (identity: unknown) => hash('sha256', JSON.stringify(identity)).slice(0, 12);

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
