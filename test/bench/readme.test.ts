import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { here } from '../../bench/paths.ts';
import { PAGES, withTables } from '../../bench/readme.ts';

const results = readFileSync(here('RESULTS.md'), 'utf8');

describe('the tables of figures', () => {
  it.each(PAGES)('of %s are those of RESULTS.md', (path) => {
    const page = readFileSync(path, 'utf8');
    expect(page).toMatch(/<!-- begin: (?:rivals|quality|published) -->/);
    expect(withTables(page, results)).toBe(page);
  });
});
