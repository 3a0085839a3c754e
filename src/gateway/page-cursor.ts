/**
 * Cursors of lists in order of id. A page begins after an id, not at a position: a list that changes between two pages
 * repeats no skill, and omits none that was there all the time.
 */

import * as z from 'zod';
import type { Reader } from '../../index/reader/reader.ts';
import { parseJson } from '../base/json.ts';
import { GatewayError } from './gateway-error.ts';

const schema = z.object({ after: z.string(), list: z.string() });

/** `list` names the list that continues: a cursor of another list is refused. */
export function encodeCursor(after: string, list: string): string {
  return Buffer.from(JSON.stringify({ after, list })).toString('base64url');
}

/**
 * Position in `ordinals` (in order of id) of the first id after the cursor's, whether or not that skill still exists; 0
 * without a cursor. Throws `REQUEST_INVALID` for a cursor of another list.
 */
export function readPosition(
  reader: Pick<Reader, 'key'>,
  ordinals: Uint32Array,
  cursor: string | undefined,
  list: string,
): number {
  if (cursor === undefined) return 0;
  const parsed = schema.safeParse(parseJson(Buffer.from(cursor, 'base64url').toString('utf8')));
  if (!parsed.success || parsed.data.list !== list)
    throw new GatewayError(
      'REQUEST_INVALID',
      'The cursor is not from this list: pass the last one unchanged, or omit it to start over.',
    );
  const { after } = parsed.data;
  let [low, high] = [0, ordinals.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (reader.key(ordinals[middle]!) > after) high = middle;
    else low = middle + 1;
  }
  return low;
}
