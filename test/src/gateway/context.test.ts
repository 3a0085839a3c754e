/** Which skills a prompt lists: all, or those that fit. */

import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { selectContext, spread } from '../../../src/gateway/context.ts';
import { estimateTokens } from '../../../src/gateway/tokens.ts';
import { availableSkills, elementTokens, FRAME_TOKENS } from '../../../src/mcp/available-skills.ts';
import { type RealCatalog, realCatalog } from '../mcp/real-catalog.ts';

const skill = (name: string, description: string) =>
  [`${name}/SKILL.md`, `---\nname: ${name}\ndescription: ${description}\n---\nDo it.\n`] as const;

let catalog: RealCatalog;
beforeAll(async () => {
  catalog = await realCatalog(
    Object.fromEntries([
      skill('audit', 'Audit the books of a company.'),
      skill('brew', 'Brew tea and coffee.'),
      skill('kiln', 'Fire stoneware in an electric kiln, cones & glazes <included>.'),
      skill('postgres', 'Tune slow postgres queries and indexes.'),
    ]),
  );
});
afterAll(() => catalog.close());

const select = async (request: { query?: string; maxTokens?: number }) =>
  selectContext(await catalog.library.current(), { ...request, costOf: elementTokens });
const idsOf = ({ entries }: Awaited<ReturnType<typeof select>>) => entries.map(({ id }) => id);

describe('selectContext', () => {
  it('returns the whole catalog by id without a query', async () => {
    expect(idsOf(await select({}))).toEqual(['audit', 'brew', 'kiln', 'postgres']);
    expect(idsOf(await select({ query: ' ' }))).toHaveLength(4);
  });

  it('returns the most relevant first, and only those where the budget is small', async () => {
    const all = await select({ query: 'my database queries are slow' });
    expect(idsOf(all)[0]).toBe('postgres');
    const [first] = all.entries;
    const one = await select({ query: 'my database queries are slow', maxTokens: elementTokens(first!) });
    expect(idsOf(one)).toEqual(['postgres']);
    expect(one.total).toBe(4);
    expect(idsOf(await select({ query: 'slow queries', maxTokens: 1 }))).toEqual([]);
  });

  it('never exceeds the budget, frame included', async () => {
    for (let maxTokens = 60; maxTokens < 400; maxTokens += 17)
      for (const query of ['', 'kiln']) {
        const { entries, total } = await select({ query, maxTokens: maxTokens - FRAME_TOKENS });
        expect(estimateTokens(availableSkills(entries, total))).toBeLessThanOrEqual(maxTokens);
      }
  });
});

describe('spread', () => {
  it('selects evenly from the whole list', () => {
    // 5 of 10 equal items: every second one.
    expect(spread([0, 1, 2, 3, 4, 5, 6, 7, 8, 9], 50, () => 10)).toEqual([0, 2, 4, 6, 8]);
  });

  it('keeps budget and order, and selects everything where it fits', () => {
    const costs = fc.array(fc.integer({ min: 1, max: 100 }), { maxLength: 60 });
    fc.assert(
      fc.property(costs, fc.nat(3_000), (list, budget) => {
        const items = list.map((cost, at) => ({ at, cost }));
        const chosen = spread(items, budget, ({ cost }) => cost);
        const total = (some: readonly { cost: number }[]) => some.reduce((sum, { cost }) => sum + cost, 0);
        expect(total(chosen)).toBeLessThanOrEqual(budget);
        expect(chosen.every(({ at }, i) => i === 0 || chosen[i - 1]!.at < at)).toBe(true);
        if (total(items) <= budget) expect(chosen).toEqual(items);
      }),
    );
  });
});

describe('availableSkills', () => {
  it('shows name, description and location, escaped', async () => {
    const { entries, total } = await select({ query: 'electric kiln', maxTokens: 75 });
    expect(availableSkills(entries, total)).toBe(
      [
        '<available_skills>',
        '<skill>',
        '<name>kiln</name>',
        '<description>Fire stoneware in an electric kiln, cones &amp; glazes &lt;included&gt;.</description>',
        `<location>${catalog.root}/kiln/SKILL.md</location>`,
        '</skill>',
        '<!-- 1 of 4 skills; search for the others -->',
        '</available_skills>',
      ].join('\n'),
    );
  });

  it('mentions no omitted skills where there are none', async () => {
    const { entries, total } = await select({});
    expect(availableSkills(entries, total)).not.toContain('<!--');
    expect(availableSkills([], 0)).toBe('<available_skills>\n</available_skills>');
  });
});
