import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CursorError, decodeCursor, encodeCursor } from '../../../src/search/answer.ts';

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

  it('refuses to continue another search, and says what to do', () => {
    const cursor = encodeCursor(5, ['csv', null]);
    expect(() => decodeCursor(cursor, ['pdf', null])).toThrow(
      expect.objectContaining({
        name: 'CursorError',
        code: 'CURSOR_MISMATCH',
        message: expect.stringMatching(/another query or filter.*leave the cursor out/),
      }),
    );
  });

  it('refuses what only looks like a cursor', () => {
    const cursor = encodeCursor(5, 'q');
    const [, of] = cursor.split('-');
    const others = [
      `0-${of}`,
      `05-${of}`,
      `12345678901-${of}`,
      `-${of}`,
      `5-${of}0`,
      ` ${cursor}`,
      `${cursor}\n`,
      '',
    ];
    for (const text of others)
      expect(() => decodeCursor(text, 'q')).toThrow(
        expect.objectContaining({
          code: 'CURSOR_INVALID',
          message: expect.stringMatching(/not one of skillgate.*next_cursor/),
        }),
      );
  });

  it('is short and plain, because a model copies it', () => {
    expect(encodeCursor(1_000, { query: 'x'.repeat(8_000) })).toMatch(/^[\w-]{1,20}$/);
  });

  it('refuses any text that is not a cursor', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(() => decodeCursor(text, 'q')).toThrow(CursorError);
      }),
    );
  });
});
