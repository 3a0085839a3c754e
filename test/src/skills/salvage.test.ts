import { describe, expect, it } from 'vitest';
import { salvageLines, unquoted } from '../../../src/skills/salvage.ts';

const salvaged = (text: string) => Object.fromEntries(salvageLines(text));

describe('salvageLines', () => {
  it('finds name and description among invalid lines', () => {
    expect(salvaged('}{\nName: "tea"\n? [\ndescription: >\n  Brews\n  tea.\nauthor: Ada\nmore')).toEqual({
      name: 'tea',
      description: 'Brews tea.',
    });
  });

  it('takes the first of each', () => {
    expect(salvaged('name: a\nname: b\nrest')).toEqual({ name: 'a' });
  });

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

  it('finds nothing without such lines', () => {
    expect(salvaged('name:\n\n# Tea')).toEqual({});
    expect(salvaged('name: ""')).toEqual({});
    expect(salvaged('')).toEqual({});
  });
});

describe('unquoted', () => {
  it.each([
    ['"a"', 'a'],
    ["'a b'", 'a b'],
    ['"a\'', '"a\''],
    ['"a" and "b"', '"a" and "b"'],
    ['"a', '"a'],
    ['a"', 'a"'],
    ['abca', 'abca'],
    ['"', '"'],
    ['', ''],
  ])('of %j is %j', (text, expected) => {
    expect(unquoted(text)).toBe(expected);
  });
});
