import { describe, expect, it } from 'vitest';
import { averagesOf } from '../../../../index/lexical/postings/bm25f.ts';
import { type LexicalDocument, PostingsBuilder } from '../../../../index/lexical/postings/builder.ts';
import { counterfactualSignals } from '../../../../index/lexical/query/counterfactual.ts';
import { LexicalSearch } from '../../../../index/lexical/query/search.ts';

const document = (name: string, description: string, body: string, reference = ''): LexicalDocument => ({
  name,
  description,
  passages: [
    { kind: 'card', text: '' },
    { kind: 'body', text: body },
    { kind: 'reference', text: reference },
  ],
});

const DOCUMENTS = [
  document('query plan', 'Reads plans of slow queries', 'Cost of each row of the plan', 'Planner settings'),
  document('forms', 'Fills in forms', 'Open the form and list its fields'),
  document('tables', 'Cleans tables', 'Mind the plan of the table, then trim each cell'),
];

function indexed() {
  const builder = new PostingsBuilder();
  for (const each of DOCUMENTS) builder.add(each);
  const columns = builder.build();
  return { search: new LexicalSearch([columns], DOCUMENTS.length), averages: averagesOf(columns.lengths) };
}

describe('counterfactualSignals', () => {
  it.each([0, 1, 2])('gives document %i the signals that the index gives it', (at) => {
    const { search, averages } = indexed();
    const query = search.prepare('slow query plan of a table, settings and an unknown zebra');
    const trial = counterfactualSignals(query, DOCUMENTS[at]!, averages);
    const known = search.signals(query, Uint32Array.of(at));
    for (const name of Object.keys(known) as (keyof typeof known)[])
      expect(trial[name][0], name).toBeCloseTo(known[name][0]!, 4);
  });

  it('counts identifiers anywhere in the document, and those that another description removes or adds', () => {
    const builder = new PostingsBuilder();
    const mailing = document('mailing', 'Calls send_mail', 'Then `getReceipt()`', 'and list_mails');
    for (const each of [...DOCUMENTS, mailing]) builder.add(each);
    const columns = builder.build();
    const search = new LexicalSearch([columns], DOCUMENTS.length + 1);
    const query = search.prepare('send_mail, getReceipt or list_mails');
    const averages = averagesOf(columns.lengths);
    const share = (description: string) =>
      counterfactualSignals(query, { ...mailing, description }, averages).identifiers[0];
    expect(share(mailing.description)).toBeCloseTo(1, 5);
    expect(share('Sends mail')).toBeCloseTo(2 / 3, 5);
    const forms = { ...DOCUMENTS[1]!, description: 'Calls send_mail or list_mails' };
    expect(counterfactualSignals(query, forms, averages).identifiers[0]).toBeCloseTo(2 / 3, 5);
  });

  it('scores another description with the statistics of the index', () => {
    const { search, averages } = indexed();
    const query = search.prepare('slow plan');
    const before = counterfactualSignals(query, DOCUMENTS[1]!, averages);
    const after = counterfactualSignals(
      query,
      { ...DOCUMENTS[1]!, description: 'Fills in slow forms' },
      averages,
    );
    expect(before.bm25f[0]).toBe(0);
    expect(after.bm25f[0]).toBeGreaterThan(0);
    // The one of two words that it now contains, by weight.
    const slow = query.terms.find(({ term }) => term === 'slow')!;
    expect(after.bodyCoverage[0]).toBeCloseTo(slow.weight / query.mass, 5);
  });
});

describe('termFields', () => {
  it('returns the fields that contain each query term, in query order', () => {
    const { search } = indexed();
    const query = search.prepare('plan settings zebra slow');
    // Bits: name 1, description 2, body 4, reference 8. "Planner" is another word.
    expect([...search.termFields(query, 0)]).toEqual([0b0111, 0b1000, 0, 0b0010]);
    expect([...search.termFields(query, 2)]).toEqual([0b0100, 0, 0, 0]);
  });
});
