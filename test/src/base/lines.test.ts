import { describe, expect, it } from 'vitest';
import { asLine } from '../../../src/base/lines.ts';

describe('asLine', () => {
  it.each([
    ['a\nb\u202ec\td', 'a\\u000ab\\u202ec\td'],
    [' ::error::x', ' \\u003a:error::x'],
    ['see ##[error]x and ##vso[x', 'see \\u0023#[error]x and \\u0023#vso[x'],
    ['a::b, #1, ##', 'a::b, #1, ##'],
    ['\x1b[31mred\x1b[39m', '\\u001b[31mred\\u001b[39m'],
  ])('of %j is %j', (text, line) => {
    expect(asLine(text)).toBe(line);
  });

  it('keeps the colours of commands, and none that hide text', () => {
    expect(asLine('\x1b[31mred\x1b[39m \x1b[8mhidden\x1b[2J', true)).toBe(
      '\x1b[31mred\x1b[39m \\u001b[8mhidden\\u001b[2J',
    );
  });
});
