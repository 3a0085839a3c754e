import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { YamlRepairer } from '../../../src/skills/repair.ts';

/** The text, as YAML, after repairing what the parser refused on a line. */
const repair = (text: string, line: number): unknown => {
  const result = new YamlRepairer(text).repair(line);
  return result === null ? null : parse(result.text);
};

describe('YamlRepairer', () => {
  it.each([
    ['a colon', 'a: b: c', 1, { a: 'b: c' }],
    ['a colon at the end', 'a: see below:', 1, { a: 'see below:' }],
    ['quotes in the value', "a: it's: “x”", 1, { a: "it's: “x”" }],
    ['text after a bar', 'a: | text: more', 1, { a: 'text: more' }],
    ['text after a folding mark', 'a: >- text', 1, { a: 'text' }],
    ['a quoted beginning', 'a: "b" and "c"', 1, { a: '"b" and "c"' }],
    ['a quote that never closes', 'a: "b\nc: d', 2, { a: 'b', c: 'd' }],
    ['a bracket that never closes', 'a: [b, c\nd: e', 1, { a: '[b, c', d: 'e' }],
    ['a special character', 'a: @b', 1, { a: '@b' }],
    ['a list item with a colon', 'a:\n  - b: c: d', 2, { a: [{ b: 'c: d' }] }],
    ['a list item with a special character', 'a:\n  - @b', 2, { a: ['@b'] }],
    ['a nested value', 'a:\n  b: c: d\n  e: f', 2, { a: { b: 'c: d', e: 'f' } }],
    ['a line that is not indented', 'a: b\nruns on\nc: d', 1, { a: 'b runs on', c: 'd' }],
    ['tabs', 'a:\n\tb: c', 2, { a: { b: 'c' } }],
  ])('repairs %s', (_, text, line, value) => {
    expect(repair(text, line)).toEqual(value);
  });

  it('returns null without a key to repair, and after each step was tried once', () => {
    expect(repair('{{ [', 1)).toBeNull();
    const repairer = new YamlRepairer('a: b: c');
    expect([repairer.repair(1), repairer.repair(1), repairer.repair(1)].map((step) => step === null)).toEqual(
      [...[false, false, true]],
    );
  });

  it('keeps line numbers and terminates, for any text', () => {
    const piece = fc.constantFrom('a: ', 'b', ': ', '\n', '  ', '- ', '"', "'", '[', '|', '\t', '@', '#');
    const texts = fc.array(piece, { maxLength: 30 }).map((pieces) => pieces.join(''));
    fc.assert(
      fc.property(texts, fc.nat({ max: 20 }), (text, line) => {
        const lines = text.split('\n').length;
        const repairer = new YamlRepairer(text);
        // Tabs once, then each line's value and each entry at most once.
        for (let step = 0; step <= 2 * lines + 1; step++) {
          const result = repairer.repair(line);
          if (result === null) return;
          expect(result.text.split('\n')).toHaveLength(lines);
        }
        expect.unreachable();
      }),
    );
  });
});
