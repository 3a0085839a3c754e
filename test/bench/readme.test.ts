import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { here } from '../../bench/paths.ts';
import { PAGES, withTables } from '../../bench/readme.ts';

const results = readFileSync(here('RESULTS.md'), 'utf8');

describe('the tables of figures', () => {
  it.each(PAGES)('of %s are those of RESULTS.md', (path) => {
    const page = readFileSync(path, 'utf8');
    expect(page).toMatch(/<!-- begin: (?:quality|published-sets) -->/);
    expect(withTables(page, results)).toBe(page);
  });

  it('follow a figure that changes there', () => {
    const page = readFileSync(PAGES[0]!, 'utf8');
    const [line = ''] = /^hybrid +109 .*$/m.exec(results) ?? [];
    const [, , hit1 = ''] = line.split(/ {2,}/);
    const changed = results.replace(line, line.replace(hit1, '99.9'));
    expect(withTables(page, changed)).toContain(`| **99.9 / `);
    expect(page).not.toContain('99.9');
  });

  it('name what RESULTS.md lacks', () => {
    const without = results.replace('<!-- begin: agent -->', '');
    expect(() => withTables('', without)).toThrow('no section "agent"');
    expect(() => withTables('', results.replaceAll('rrf-60', 'other'))).toThrow('reciprocal rank fusion');
  });
});
