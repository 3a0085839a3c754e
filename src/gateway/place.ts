/**
 * Where the next page of a list begins: after an id, not at a number, so that a list which changes between two pages
 * neither repeats a skill nor leaves one out that was there all the time.
 */

import * as z from 'zod';
import type { Reader } from '#index';
import { GatewayError } from './gateway.ts';

const schema = z.object({ after: z.string(), list: z.string() });

/** `list` names the list that is continued: a cursor of another one is refused. */
export function encodePlace(after: string, list: string): string {
  return Buffer.from(JSON.stringify({ after, list })).toString('base64url');
}

/**
 * Position in `ordinals`, which are in order of id, of the first id after the cursor's, whether or not that skill is
 * still there; 0 without a cursor. Throws `REQUEST_INVALID` for a cursor that was not made for this list.
 */
export function placeOf(
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
      'The cursor is not one of this list: pass the last one unchanged, or leave it out to start over.',
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

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
