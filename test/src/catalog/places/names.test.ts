import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MIN_CARRIED, type NamedSkill, nameGroups } from '../../../../src/catalog/places/names.ts';

const skill = (name: string, description: string, folder = 'shop'): NamedSkill => ({
  id: `${folder}/${name}`,
  name,
  description,
});

const CHARTS = ['bar', 'line', 'pie'].map((kind) =>
  skill(`${kind}-charts`, `Draw ${kind} charts of CSV data. Use when the user asks for a plot.`),
);
const REQUESTS = ['open', 'read', 'merge'].map((verb) =>
  skill(`pull-request-${verb}`, `Handle a pull request on GitHub. Use when the user asks for a review.`),
);
const BOOKS = ['close', 'open', 'post'].map((verb) =>
  skill(`gl-${verb}`, `Do it in the general ledger. Use when the user asks for a report.`),
);
const INVOICES = ['a', 'b', 'c'].map((name) => skill(`发票-${name}`, '发票 识别 和 发票 归档'));

/** Names of groups of skills. */
function named(...groups: readonly (readonly NamedSkill[])[]) {
  let at = 0;
  return nameGroups(
    groups.flat(),
    groups.map((group) => group.map(() => at++)),
  );
}
const labels = (...groups: readonly (readonly NamedSkill[])[]) =>
  named(...groups).map((name) => name?.label ?? null);

describe('names of groups', () => {
  it.each([
    ['a word that sets the group apart', [CHARTS, REQUESTS, BOOKS], 'charts'],
    ['a pair of words rather than one of them', [REQUESTS, CHARTS, BOOKS], 'pull request'],
    ['words of any script', [INVOICES, CHARTS, REQUESTS], '发票'],
    ['nothing where no name has a word in common', [BOOKS.slice(0, 1), CHARTS], null],
    ['nothing for an empty group', [[], CHARTS], null],
  ])('are %s', (_, groups, label) => {
    expect(labels(...groups)[0]).toBe(label);
  });

  it('have the capitals that sentences give them, alike in all groups', () => {
    const on = (cloud: string) =>
      ['list', 'copy', 'move'].map((verb) => skill(`azure-${verb}-${cloud}`, `Do it on Azure for ${cloud}.`));
    const words = ['dns', 'vms'].map((word) => skill(word, 'Do it.'));
    expect(labels(on('blob'), CHARTS, REQUESTS, BOOKS, words)[0]).toBe('Azure');
  });

  it('are said only where at least 30 % carry them: 3 of 10, and not 2 of 10', () => {
    const rest = Array.from({ length: 8 }, (_, at) => skill(`other-${'abcdefgh'[at]}`, `Does thing ${at}.`));
    const some = (count: number) => [...CHARTS.slice(0, count), ...rest.slice(0, 10 - count)];
    expect(labels(some(3), REQUESTS, BOOKS)[0]).toBe('charts');
    expect(labels(some(2), REQUESTS, BOOKS)[0]).toBeNull();
  });

  it('take the folder of a repository that no word covers, and never the owner of it', () => {
    const ids = Array.from({ length: 6 }, (_, at) => `acme__asb-collections/packs/metabolomics/${at}`);
    const group = ids.map((id, at) => ({ id, name: `step-${'abcdef'[at]}`, description: 'Does it.' }));
    const [name] = named(group, CHARTS, REQUESTS);
    expect(name).toEqual({ label: 'metabolomics', carriers: [0, 1, 2, 3, 4, 5] });
  });

  it('have no word about when to use a skill, and none that skills of every kind have', () => {
    const connectors = ['acme', 'globex', 'initech'].map((name) =>
      skill(`oo-${name}`, `${name}: reading data, creating and updating records. Use when the user asks.`),
    );
    expect(labels(connectors, CHARTS, REQUESTS)[0]).toBeNull();
  });

  it.each(['official', 'computer', 'saas'])('have no word that says nothing of a subject: %s', (word) => {
    const group = ['ant', 'bee', 'cat'].map((name) => skill(`${word}-${name}`, `Does it for the ${name}.`));
    expect(labels(group, CHARTS, REQUESTS)[0]).toBeNull();
  });

  it('are true of what they name for any texts, and always the same ones', () => {
    const skills = fc.record({ id: fc.string(), name: fc.string(), description: fc.string() });
    fc.assert(
      fc.property(fc.array(fc.array(skills, { maxLength: 5 }), { maxLength: 4 }), (groups) => {
        const names = named(...groups);
        expect(names).toHaveLength(groups.length);
        expect(named(...groups)).toEqual(names);
        names.forEach((name, at) => {
          if (name !== null)
            expect(name.carriers.length).toBeGreaterThanOrEqual(MIN_CARRIED * groups[at]!.length);
        });
      }),
    );
  });
});
