import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { marked, searchView } from '../../../extensions/explore/search.ts';
import { agentTools } from '../../../src/mcp/agent-tools.ts';
import { skill, testLibrary } from '../../src/gateway/test-library.ts';

const TREE = Object.fromEntries(
  ['rollback', 'deploy', 'backup', 'restore', 'index', 'vacuum', 'replica'].map((name) => [
    `${name}/SKILL.md`,
    skill(name, `Database ${name} of postgres, with migrations`),
  ]),
);

describe('marked', () => {
  it('marks the words that the index would match, in their own spelling', () => {
    expect(marked('Rolls back failed Migrations.', new Set(['roll', 'migrat']))).toEqual([
      ['Rolls', true],
      [' back failed ', false],
      ['Migrations', true],
      ['.', false],
    ]);
  });

  it('loses no character of any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.array(fc.string()), (text, terms) => {
        const pieces = marked(text, new Set(terms));
        expect(pieces.map(([piece]) => piece).join('')).toBe(text);
        expect(pieces.every(([piece]) => piece !== '')).toBe(true);
      }),
    );
  });
});

describe('searchView', () => {
  it('gives the evidence for each hit, with the words that match', async () => {
    const { gateway } = testLibrary(TREE);
    const { hits, verdict } = await searchView({ query: 'postgres rollback' }, gateway);
    const [first] = hits;
    expect(first).toMatchObject({ rank: 1, id: 'rollback', name: 'rollback' });
    expect(first!.description).toContainEqual(['rollback', true]);
    expect(first!.evidence[0]?.excerpt).toContainEqual(['rollback', true]);
    expect(verdict?.words).toMatch(/fits? \(\d/);
  });

  it('advises on the language of a query that few skills are in', async () => {
    const { gateway } = testLibrary(TREE);
    const { note } = await searchView({ query: '如何恢复数据库的备份文件' }, gateway);
    expect(note).toMatch(/^The query is in Chinese, .* in English: search again in English\.$/);
  });

  it('shows exactly the text that search_skills gives to an agent, with its tokens', async () => {
    const { gateway } = testLibrary(TREE);
    const tools = await agentTools(gateway, () => {});
    const tool = tools.find(({ name }) => name === 'search_skills');
    for (const query of ['postgres rollback', 'knit a jumper', '']) {
      const { agent } = await searchView({ query }, gateway);
      expect(agent.text).toBe((await tool?.call({ query }))?.text);
      expect(agent.tokens).toBeGreaterThan(10);
    }
  });

  it.each([
    ['r', null],
    ['m', null],
    ['postgres migration', 'fits'],
    ['xyzzy plugh frobnicate quux', 'none'],
  ])('says nothing of a letter, and of unknown words only that none fits: %s', async (query, kind) => {
    const { verdict } = await searchView({ query }, testLibrary(TREE).gateway);
    expect(verdict?.kind ?? null).toBe(kind);
  });
});
