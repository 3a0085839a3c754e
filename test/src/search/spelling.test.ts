import { describe, expect, it } from 'vitest';
import { analyze } from '../../../index/lexical/analysis/analyzer.ts';
import { loadStemmers, stemmerOf } from '../../../index/lexical/language/stemmers.ts';
import { respelled } from '../../../src/search/spelling.ts';
import { typingCost } from '../../../src/search/typing.ts';
import { skill, testLibrary } from '../gateway/test-library.ts';

const WORDS = ['kubernetes'];

const CATALOG = `Audit the accessibility of a website. Tune slow PostgreSQL and postgres queries. Expense report from
  receipts. Magnet links. Deploy to kubernetes. Create milestones. Network, spreadsheet, colour, zendesk, plates, asked`;

/** Searches the words of a text, and of a language's text where one is named. */
const context = (text: string, spoken: string | null = null) => {
  const held = new Set(analyze(text, stemmerOf(spoken)).map(({ term }) => term));
  return {
    lexical: { holds: (term: string) => held.has(term) },
    spoken,
    stems: spoken,
    documents: 9,
    words: () => WORDS,
  };
};

describe('respelled', () => {
  it.each([
    ['acessibility audit', 'accessibility audit'],
    ['postgress slow querry', 'postgres slow query'],
    ['expence spredsheet with reciepts', 'expense spreadsheet with receipts'],
    ['Kuberntes deploy', 'kubernetes deploy'],
    ['cretae milstones', 'create milestones'],
    ['a zendask ticket', 'a zendesk ticket'],
  ])('%s', async (typed, meant) => {
    expect((await respelled(typed, context(CATALOG))).text).toBe(meant);
  });

  it.each([
    ['a name that is near to a word', 'magento extension'],
    ['a real word that the catalog lacks', 'woodworking, gardening, knitting and plating'],
    ['a slip of a word that the catalog lacks', 'choclate with hazlenuts'],
    [
      'names, paths, addresses, code, abbreviations',
      'in Leeds: acessibility.md, @querry, querry(), QUERRY, /reciepts',
    ],
    ['three letters', 'qry'],
    ['another first letter', 'bagnet'],
    ['words that are known', 'accessibility of kubernetes'],
  ])('leaves %s', async (_, typed) => {
    const { text, corrections } = await respelled(typed, context(CATALOG));
    expect({ text, corrections }).toEqual({ text: typed, corrections: [] });
  });

  it('finds the slips of another language among the words of the catalog', async () => {
    await loadStemmers(['de']);
    const { text } = await respelled('ich möchte eine Rechnnung prüfen', context('Rechnung prüfen', 'de'));
    expect(text).toBe('ich möchte eine rechnung prüfen');
  });

  it('looks at a few words of a long query', async () => {
    const { corrections } = await respelled(
      Array.from({ length: 50 }, (_, at) => `recei${String.fromCharCode(97 + (at % 26))}pts`).join(' '),
      context(CATALOG),
    );
    expect(corrections.length).toBeLessThanOrEqual(8);
  });
});

it.each([
  ['recieve', 'receive', 'calm', 'clam'],
  ['adress', 'address', 'adres', 'adroit'],
  ['helo', 'hello', 'helo', 'hero'],
])('%s is nearer to %s than %s to %s', (typed, meant, other, far) => {
  expect(typingCost(typed, meant)).toBeLessThanOrEqual(typingCost(other, far));
});

it('an answer says what was searched', async () => {
  const { gateway } = testLibrary({
    'expense/SKILL.md': skill('expense', 'Makes an expense report from receipts'),
    'mail/SKILL.md': skill('mail', 'Sorts the mail of a team'),
  });
  const { hits, retrieval } = await gateway.search({ query: 'expence report', limit: 5 });
  expect(hits[0]?.entry.name).toBe('expense');
  expect(retrieval.note).toContain('Searched for: expense (expence).');
});
