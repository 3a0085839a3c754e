import { describe, expect, it } from 'vitest';
import { bundle } from '../../../src/insights/bundle.ts';
import { toyDocument, toyEmbedder } from '../../index/toy.ts';
import { indexOf } from '../search/small-index.ts';

const body = Array.from({ length: 60 }, (_, at) => `step${at}`).join(' ');
const document = (id: string, description: string, text: string, facets: string[] = []) =>
  toyDocument(id, description, [text], { payload: { id, description }, facets });
const DOCUMENTS = [
  document('csv', 'Cleans messy tables of a bank export', `Trim cells of the bank export. ${body}`, [
    'source:a',
  ]),
  document('csv-copy', 'Cleans messy tables of a bank export', `Trim cells of the bank export. ${body}`, [
    'source:b',
  ]),
  document('invoice', 'Matches open invoices with payments', 'Open invoices and payments', ['source:a']),
  document('chart', 'Draws an honest chart of figures', 'Axes of the chart', ['source:a']),
  document('deploy', 'Deploys a service', 'Roll out', ['source:a']),
];
const TASK = 'Clean the messy bank export, then match open invoices with the payments. Draw an honest chart.';

const ask = async (query: string, more: Partial<Parameters<typeof bundle>[0]> = {}) =>
  bundle(
    { query, maxTokens: 1_000, limit: 5, costOf: () => 100, ...more },
    { reader: await indexOf(DOCUMENTS), embedder: toyEmbedder(), now: () => 0 },
  );
const ids = ({ members }: Awaited<ReturnType<typeof ask>>) => members.map(({ entry }) => entry.id);

describe('bundle', () => {
  it('covers each part of a task with one skill, never with a twin, and reports which covers which', async () => {
    const answer = await ask(TASK);
    expect(ids(answer)).toHaveLength(3);
    expect(
      ids(answer)
        .map((id) => id.replace('-copy', ''))
        .toSorted(),
    ).toEqual(['chart', 'csv', 'invoice']);
    expect(answer.parts.map(({ text }) => text)).toEqual([
      'Clean the messy bank export',
      'then match open invoices with the payments.',
      'Draw an honest chart.',
    ]);
    answer.parts.forEach(({ coveredBy }, part) => {
      const member = answer.members[coveredBy! - 1]!;
      expect(member.covers).toContain(part);
    });
    expect(
      answer.parts.map(({ coveredBy }) => answer.members[coveredBy! - 1]!.entry.id.replace('-copy', '')),
    ).toEqual(['csv', 'invoice', 'chart']);
    expect(answer.tokens).toBe(300);
  });

  it('is one skill for a task of one part', async () => {
    expect(ids(await ask('match open invoices with payments'))).toEqual(['invoice']);
  });

  it('keeps the budget and the limit, and reports what it leaves out and what is not covered', async () => {
    const small = await ask(TASK, { maxTokens: 250 });
    expect(small.members).toHaveLength(2);
    expect(small.tooLarge).not.toEqual([]);
    expect(small.parts.filter(({ coveredBy }) => coveredBy === null)).toHaveLength(1);
    expect((await ask(TASK, { limit: 1 })).members).toHaveLength(1);
    expect((await ask(TASK, { maxTokens: 99 })).members).toEqual([]);
  });

  it('takes only skills that pass the filter', async () => {
    const { members, searched } = await ask(TASK, { filter: { sources: ['b'] } });
    expect(members.map(({ entry }) => entry.id)).toEqual(['csv-copy']);
    expect(searched).toBe(1);
  });

  it('treats list items as parts', async () => {
    const { parts } = await ask('- clean the bank export\n- match open invoices\n- draw an honest chart');
    expect(parts).toHaveLength(3);
  });
});
