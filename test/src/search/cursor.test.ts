import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CursorError, decodeCursor, encodeCursor } from '../../../src/search/cursor.ts';

describe('cursor', () => {
  it('starts at the first hit without a cursor', () => {
    expect(decodeCursor(undefined, 'q')).toBe(0);
  });

  it('returns the offset for the same search, for any offset', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1e9 }), fc.jsonValue(), (offset, search) => {
        expect(decodeCursor(encodeCursor(offset, search), search)).toBe(offset);
      }),
    );
  });

  it('refuses to continue another search', () => {
    expect(() => decodeCursor(encodeCursor(5, ['csv', null]), ['pdf', null])).toThrow(CursorError);
  });

  it('refuses any text that is not a cursor', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(() => decodeCursor(text, 'q')).toThrow(CursorError);
      }),
    );
  });
});
