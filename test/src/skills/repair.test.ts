import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { salvageLines, YamlRepairer } from '../../../src/skills/repair.ts';

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

  it.each([
    ['a: b: c', 1, "a: 'b: c'", 'yaml-colon 1:4'],
    ['  a: 1: 2', 1, "  a: '1: 2'", 'yaml-colon 1:6'],
    ['a: see below:', 1, "a: 'see below:'", 'yaml-colon 1:4'],
    ['a: @b: c', 1, "a: '@b: c'", 'yaml-colon 1:4'],
    ['a: @b:c', 1, "a: '@b:c'", 'yaml-quote 1:4'],
    ["a: 'b': c", 1, "a: '''b'': c'", 'yaml-quote 1:4'],
    ['a: {b: c', 1, "a: '{b: c'", 'yaml-quote 1:4'],
    ['a: [b: c', 1, "a: '[b: c'", 'yaml-quote 1:4'],
    ['a: "b', 1, "a: 'b'", 'yaml-quote 1:4'],
    ["a: 'b", 1, "a: 'b'", 'yaml-quote 1:4'],
    ['a: >-2 b', 1, "a: 'b'", 'yaml-block-text 1:4'],
    ['a: |b: c', 1, "a: 'b: c'", 'yaml-block-text 1:4'],
    ['a: | # b', 1, "a: '| # b'", 'yaml-quote 1:4'],
    // The parser stops far below an open quote, and after the last line.
    ['a: x\nb: "c\nd: e\nf: [g', 4, "a: x\nb: 'c'\nd: e\nf: [g", 'yaml-quote 2:4'],
    ['a: "c" # d\nb: @e', 2, 'a: "c" # d\nb: \'@e\'', 'yaml-quote 2:4'],
    ['a: @b\nc: "d', 1, "a: '@b'\nc: \"d", 'yaml-quote 1:4'],
    ['a: b\nc: @d', 9, "a: b\nc: '@d'", 'yaml-quote 2:4'],
    // Lines below belong to the value, or not.
    ['a:\n  - @b\n  - c', 2, "a:\n  - '@b'\n  - c", 'yaml-quote 2:5'],
    ['a:\n  - @b\n    c', 2, "a: '- @b c'\n\n", 'yaml-quote 1:4'],
    ['a: @b\n  c\n \n  d\ne: f', 1, "a: '@b c d'\n\n\n\ne: f", 'yaml-quote 1:4'],
    ['a: @b\n# c\nd: e', 1, "a: '@b'\n# c\nd: e", 'yaml-quote 1:4'],
    ['a: @b\n- c', 1, "a: '@b'\n- c", 'yaml-quote 1:4'],
    ['a: @b\n\nc\nd: e', 1, "a: '@b c'\n\n\nd: e", 'yaml-continuation 1:4'],
    ['a : @b\n  c\n\n# d\n\ne: f', 1, "a : '@b c'\n\n\n# d\n\ne: f", 'yaml-quote 1:5'],
    ['a: @b\n  c\n# d', 1, "a: '@b c'\n\n# d", 'yaml-quote 1:4'],
    ['a:\n  b:\n    c: @d\n  e: f', 3, "a:\n  b:\n    c: '@d'\n  e: f", 'yaml-quote 3:8'],
    ['a:\n  - - @b', 2, "a:\n  - - '@b'", 'yaml-quote 2:7'],
    ['a:\n  - b: @c', 2, "a:\n  - b: '@c'", 'yaml-quote 2:8'],
    ["a: it's\nb: @c", 2, "a: it's\nb: '@c'", 'yaml-quote 2:4'],
    ['a: @b\tc', 1, "a: '@b\tc'", 'yaml-quote 1:4'],
    ['a:\tb\nc:\n\td: e', 3, 'a:\tb\nc:\n  d: e', 'yaml-tab 3:1'],
    ['a:\n  b: @c\n   \n  d: e', 2, "a:\n  b: '@c'\n   \n  d: e", 'yaml-quote 2:6'],
    ['"a b": @c', 1, '"a b": \'@c\'', 'yaml-quote 1:8'],
    ['x: 1\na:\n \tb: c\td\n\t\te: f', 3, 'x: 1\na:\n   b: c\td\n    e: f', 'yaml-tab 3:1'],
  ])('writes %j, refused on line %i, as %j', (text, line, repaired, problem) => {
    const found = new YamlRepairer(text).repair(line);
    expect(found?.text).toBe(repaired);
    expect(`${found?.id} ${found?.line}:${found?.column}`).toBe(problem);
  });

  it.each([
    ['a: | b', '`|`', 'next line'],
    ['a: > b', '`>`', 'next line'],
    ['a: b: c', '`: `', 'in quotes'],
    ['a: @b', '`@`', 'in quotes'],
    ['a: b', 'not valid', 'in quotes'],
    ['a: @b\nc', 'not indented', 'Indent'],
    ['a:\n\tb: c', 'tabs', 'with spaces'],
  ])('says what is wrong in %j, and what to do', (text, message, fix) => {
    const found = new YamlRepairer(text).repair(1);
    expect(found?.message).toContain(message);
    expect(found?.fix).toContain(fix);
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

const salvaged = (text: string) => Object.fromEntries(salvageLines(text));

describe('salvageLines', () => {
  it.each([
    ['description: a\ndescription: b\nrest', { description: 'a' }],
    ['description: a\nx.y-z: b\nrest', { description: 'a' }],
    ['description: a\n  rest  \nname: b\nmore', { description: 'a rest', name: 'b' }],
    ['DESCRIPTION : a', { description: 'a' }],
    [' name: a', {}],
    ['description: |+\n  a', { description: 'a' }],
    ['description: > a', { description: 'a' }],
    ['description: |a', { description: '|a' }],
    ['description: a | b', { description: 'a | b' }],
    ['name: \'a\'\ndescription: "b\n  c"', { name: 'a', description: 'b c' }],
  ])('reads %j as %j', (text, found) => {
    expect(salvaged(text)).toEqual(found);
  });
});
