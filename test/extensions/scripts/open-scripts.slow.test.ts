import { describe, expect, it } from 'vitest';
import { allowedBy } from '../../../extensions/scripts/open-scripts.ts';
import type { CatalogEntry } from '../../../src/sources/scan/entry.ts';

const skill = { source: 'team', id: 'data/csv-cleaning', tags: [] as readonly string[] } as CatalogEntry;

describe('allowedBy', () => {
  it('allows nothing by default, and nothing where only one list matches', () => {
    expect(allowedBy({ sources: [], skills: [] })(skill)).toBe(false);
    expect(allowedBy({ sources: ['team'], skills: [] })(skill)).toBe(false);
    expect(allowedBy({ sources: [], skills: ['*'] })(skill)).toBe(false);
  });

  it.each([
    [['*'], ['*'], true],
    [['team'], ['data/csv-cleaning'], true],
    [['te*'], ['data/*'], true],
    [['team'], ['**/csv-*'], true],
    [['team'], ['csv-*'], false],
    [['team'], ['dat*'], false],
    [['tea'], ['*'], false],
    [['team'], ['data.csv-cleaning'], false],
    [['team'], ['(data)/(csv|pdf).*'], false],
  ])('matches sources %j and ids %j: %s', (sources, skills, allowed) => {
    expect(allowedBy({ sources: sources, skills: skills })(skill)).toBe(allowed);
  });
});
