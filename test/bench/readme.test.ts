import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { here } from '../../bench/paths.ts';
import { PAGES, readChoices, withTables } from '../../bench/readme.ts';

const results = readFileSync(here('RESULTS.md'), 'utf8');

describe('the tables of figures', () => {
  it.each(PAGES)('of %s are those of RESULTS.md', (path) => {
    const page = readFileSync(path, 'utf8');
    expect(page).toMatch(/<!-- begin: (?:rivals|quality|published) -->/);
    expect(withTables(page, results)).toBe(page);
  });

  it.each([
    ['85.2', '99.9', '| **skillgate** | **99.9 / 56.9 / 69.0** |'],
    // Not bold where another leads.
    ['85.2', '60.0', '| **skillgate** | 60.0 / 56.9 / 69.0 |'],
  ])('of the README follow a figure that changes there (%s → %s)', (figure, other, row) => {
    const page = readFileSync(PAGES[0]!, 'utf8');
    expect(page).not.toContain(row);
    const agent = results.slice(results.indexOf('<!-- begin: agent -->'));
    const [line = ''] = new RegExp(`^skillgate .*\\b${figure}\\b.*$`, 'm').exec(agent) ?? [];
    expect(withTables(page, results.replace(line, line.replace(figure, other)))).toContain(row);
  });

  it('name what RESULTS.md lacks', () => {
    const without = results.replace('<!-- begin: agent -->', '');
    expect(() => withTables('', without)).toThrow('no section "agent"');
    expect(() => withTables('', results.replaceAll('rrf-60', 'other'))).toThrow('reciprocal rank fusion');
  });
});

it('the picture of choices shows those of RESULTS.md', () => {
  const points = readChoices(results);
  expect(points.length).toBeGreaterThanOrEqual(18);
  const picture = readFileSync(here('figures/choices.svg'), 'utf8');
  for (const way of new Set(points.map((point) => point.way)))
    expect(
      points
        .filter((point) => point.way === way)
        .map(({ tokens }) => `${tokens.toLocaleString('en-US')} tokens`),
    ).toContainEqual(expect.toSatisfy((label: string) => picture.includes(label)));
});
