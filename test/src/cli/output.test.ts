import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { clip, countColumns, sameSkills, withoutCommands, wrapped } from '../../../src/cli/output.ts';

describe('what a terminal gets', () => {
  it('is without commands, whatever a skill says, and with colours', () => {
    const copies = '\x1b]52;c;aGk=\x07';
    expect(withoutCommands(`${copies}\x1b[2J\r\x9b1A`)).toBe('\\x1b]52;c;aGk=\\x07\\x1b[2J\\x0d\\x9b1A');
    expect(withoutCommands('\x1b[1;31ma\tb\x1b[0m\nç')).toBe('\x1b[1;31ma\tb\x1b[0m\nç');
  });
});

describe('clip', () => {
  it('keeps a short line, and cuts a long one at a word', () => {
    expect(clip('  one\n two ', 20)).toBe('one two');
    expect(clip('one two three', 9)).toBe('one two…');
    expect(clip('extraordinary', 6)).toBe('extra…');
  });

  it('counts two columns for a character of Chinese, Japanese or Korean', () => {
    // Four characters take eight columns, and the sign takes one.
    expect(clip('請求書確認をする', 9)).toBe('請求書確…');
    expect(countColumns('請求書 PDF')).toBe(10);
  });

  it('gives one well-formed line within the limit, for any text and width', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary', maxLength: 60 }),
        fc.integer({ min: -50, max: 60 }),
        (text, length) => {
          const line = clip(text.toWellFormed(), length);
          expect(countColumns(line)).toBeLessThanOrEqual(Math.max(1, length));
          expect(line.isWellFormed()).toBe(true);
          expect(line).not.toMatch(/\p{Cc}/u);
        },
      ),
    );
  });
});

describe('wrapped', () => {
  it('keeps every word, on lines within the limit', () => {
    expect(wrapped('one two three four', 9)).toEqual(['one two', 'three', 'four']);
    expect(wrapped('extraordinary', 4)).toEqual(['extraordinary']);
  });
});

describe('sameSkills', () => {
  it('repeats what a command was given to find skills, quoted where a shell needs it', () => {
    expect(sameSkills({})).toBe('');
    expect(sameSkills({ skills: ['a', 'my skills'], config: 'c.yaml' })).toBe(
      ' --skills a --skills "my skills" --config c.yaml',
    );
  });
});
