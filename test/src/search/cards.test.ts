/** A description that says "not for X" loses for X. */

import { describe, expect, it } from 'vitest';
import { shareElsewhere } from '../../../src/search/cards.ts';
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

const SKILLS = {
  'react-native-lists': skill(
    'react-native-lists',
    'Fixes janky scrolling of long lists in React Native: measures dropped frames of a list and makes it scroll smoothly',
  ),
  'web-scrolling': skill('web-scrolling', 'Makes pages scroll smoothly in the browser'),
  'stripe-webhooks': skill('stripe-webhooks', 'Verifies webhooks of Stripe for subscriptions and payments'),
  'release-notes': skill('release-notes', 'Writes the release notes of a project from what was merged'),
  'sql-tuning': skill('sql-tuning', 'Makes slow queries of a database fast with an index'),
  'mail-triage': skill('mail-triage', 'Sorts the mail of a team and answers what is asked most often'),
};
const TREE = Object.fromEntries(Object.entries(SKILLS).map(([name, text]) => [`${name}/SKILL.md`, text]));

async function search(query: string) {
  const { gateway, library } = testLibrary(TREE);
  const answer = await gateway.search({ query, limit: 5, explain: true });
  await library.close();
  return answer;
}

describe('a search that names a product', () => {
  it('does not claim that a skill for another product fits', async () => {
    const [own, other] = [
      await search('fix janky list scrolling in React Native'),
      await search('fix janky list scrolling in flutter'),
    ];
    expect(own.hits[0]?.entry.name).toBe('react-native-lists');
    expect(own.hits[0]?.explanation?.product).toBe(0);
    expect(own.fit).toBeGreaterThan(0.5);
    expect(other.fit).toBeLessThan(0.5);
    const ofOther = other.hits.find(({ entry }) => entry.name === 'react-native-lists');
    expect(ofOther?.explanation?.product).toBeLessThan(0);
    expect(ofOther?.score).toBeLessThan(own.hits[0]!.score);
  });

  it('knows a name by its capital, although no catalog has it', async () => {
    const { hits } = await search('verify webhooks of Zorblax for subscriptions');
    expect(hits.find(({ entry }) => entry.name === 'stripe-webhooks')?.explanation?.product).toBeLessThan(0);
  });

  it('finds the skill for a product that the query does not name', async () => {
    const { hits } = await search('verify webhooks for subscriptions');
    expect(hits[0]?.entry.name).toBe('stripe-webhooks');
    expect(hits[0]?.explanation?.product).toBe(0);
  });
});
