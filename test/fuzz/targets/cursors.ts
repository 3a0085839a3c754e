/** Any text as a cursor of a list: it is refused, or names a position of the list; our own cursors name theirs. */

import assert from 'node:assert/strict';
import { GatewayError } from '../../../src/gateway/gateway.ts';
import { encodeCursor, readPosition } from '../../../src/gateway/page-cursor.ts';

const LIST = 'list';
const KEYS = ['a', 'b/c', 'b/d', 'ä', 'z'].sort();
const ORDINALS = Uint32Array.from(KEYS.keys());
const reader = { key: (ordinal: number) => KEYS[ordinal] ?? '' };
const at = (cursor: string) => readPosition(reader, ORDINALS, cursor, LIST);

export function fuzz(data: Buffer): void {
  const text = data.toString('utf8');
  for (const cursor of [text, data.toString('base64url'), encodeCursor(text, text)]) {
    try {
      const position = at(cursor);
      assert.ok(Number.isInteger(position) && position >= 0 && position <= KEYS.length);
    } catch (error) {
      if (!(error instanceof GatewayError) || error.code !== 'REQUEST_INVALID') throw error;
    }
  }
  assert.equal(at(encodeCursor(text, LIST)), KEYS.filter((key) => key <= text).length);
}
