/** A description that says "not for X" loses for X. */

import { describe, expect, it } from 'vitest';
import { shareElsewhere } from '../../../src/search/elsewhere.ts';
import { skill, testLibrary } from '../gateway/test-library.ts';

describe('shareElsewhere', () => {
  const query = {
    terms: ['form', 'angular', 'react'].map((term) => ({ term, weight: 1 })),
    mass: 3,
  } as unknown as Parameters<typeof shareElsewhere>[0];
  const share = (description: string, name = 'forms') => shareElsewhere(query, { name, description });

  it.each([
    ['Builds forms in React. Not for Angular: use `angular-forms`.', 1 / 3],
    ['Builds forms. Do not use for Angular or React', 2 / 3],
    ["Builds forms; don't use it with Angular. It knows React.", 1 / 3],
    // Said elsewhere, too.
    ['Builds forms in Angular. Not for Angular 1.', 0],
    ['Builds forms in Angular and React.', 0],
    ['', 0],
  ])('of %j is the share of the words that only the clause has', (description, expected) => {
    expect(share(description)).toBeCloseTo(expected);
  });

  it('does not count the words of the name, and is 0 for a query without words', () => {
    expect(share('Not for Angular.', 'angular-forms')).toBe(0);
    expect(shareElsewhere({ terms: [], mass: 0 }, { name: 'a', description: 'Not for Angular.' })).toBe(0);
  });
});

describe('a search for what a description sends elsewhere', () => {
  it('ranks the skill behind one that does it, and says why', async () => {
    const clause = 'Not for payroll: payroll slips and payroll runs go elsewhere.';
    const { gateway, library } = testLibrary({
      'ledger/SKILL.md': skill('ledger', `Checks slips of the ledger. ${clause}`, 'Check the slips.\n'),
      'payroll/SKILL.md': skill('payroll', 'Checks slips of the payroll', 'Check the slips.\n'),
    });
    const { hits } = await gateway.search({ query: 'check payroll slips', limit: 2, explain: true });
    await library.close();
    expect(hits.map(({ entry }) => entry.name)).toEqual(['payroll', 'ledger']);
    expect(hits[0]?.explanation?.elsewhere).toBe(0);
    expect(hits[1]?.explanation?.elsewhere).toBeLessThan(0);
  });
});
