import { describe, expect, it } from 'vitest';
import { salvageLines } from '../../../src/skills/salvage.ts';

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

  it('finds nothing without such lines', () => {
    expect(salvaged('name:\n\n# Tea')).toEqual({});
    expect(salvaged('name: ""')).toEqual({});
    expect(salvaged('')).toEqual({});
  });
});
