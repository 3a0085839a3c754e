/** Copies of a skill in the answers of search_skills and load_skill to a real client. */

import { describe, expect, it } from 'vitest';
import { estimateTokens, type Gateway } from '../../../../src/gateway/public.ts';
import { type FakeSkill, fakeGateway } from '../fake-gateway.ts';
import { connect, ERAS, SKILLS, textOf } from '../harness.ts';

const COPIES = [
  { id: 'mirror:documents/pdf-forms', source: 'mirror' },
  { id: 'archive/pdf\nforms', source: 'old' },
  ...Array.from({ length: 10 }, (_, at) => ({ id: `more-${at}:documents/pdf-forms`, source: `more-${at}` })),
];

/** The catalog, but every skill has these copies. */
function gatewayWith(count: number, skills: readonly FakeSkill[] = SKILLS): Gateway {
  const gateway = fakeGateway(skills);
  const copies = COPIES.slice(0, count);
  return {
    ...gateway,
    async search(request) {
      const answer = await gateway.search(request);
      return { ...answer, hits: answer.hits.map((hit) => ({ ...hit, copies })) };
    },
    load: async (request) => ({ ...(await gateway.load(request)), copies }),
  };
}

describe.each(ERAS)('identical skills on %s', (era) => {
  const call = async (name: string, args: Record<string, unknown>, gateway: Gateway) => {
    const { client, close } = await connect(era, gateway);
    const result = await client.callTool({ name, arguments: args });
    await close();
    return result;
  };

  it('are listed for a hit with their sources, in structure and in text', async () => {
    const result = await call('search_skills', { query: 'pdf fields' }, gatewayWith(2));
    expect(result.structuredContent).toMatchObject({ hits: [{ also_from: COPIES.slice(0, 2) }] });
    expect(result.structuredContent).not.toHaveProperty('hits.0.also_from_count');
    expect(textOf(result)).toContain(
      '\n   the same from: mirror:documents/pdf-forms, old ("archive/pdf\\nforms")\n',
    );
  });

  it('are counted if there are many, and leave room for one twin', async () => {
    const result = await call('search_skills', { query: 'pdf fields' }, gatewayWith(12));
    expect(result.structuredContent).toMatchObject({
      hits: [{ also_from: { length: 2 }, also_from_count: 12, twins: ['mirror/pdf-forms-copy'] }],
    });
    expect(textOf(result)).toContain(' and 10 more\n');
  });

  it('stay within the token budget of an answer', async () => {
    const wordy = Array.from(
      { length: 20 },
      (_, at): FakeSkill => ({
        id: `some-repository/skills/a-skill-with-a-rather-long-name-${at}`,
        description: 'Use when the task needs a long explanation of what the skill is about. '.repeat(12),
        files: { 'SKILL.md': `needs ${'a sentence of the passage that speaks for the hit '.repeat(4)}` },
        twins: Array.from({ length: 30 }, (_, twin) => `mirror-${twin}/a-skill-with-a-rather-long-name`),
      }),
    );
    const result = await call(
      'search_skills',
      { query: 'needs explanation', top_k: 5 },
      gatewayWith(12, wordy),
    );
    expect(result.structuredContent).toMatchObject({ hits: { length: 5 } });
    expect(estimateTokens(textOf(result))).toBeLessThanOrEqual(600);
  });

  it('are listed for a loaded skill', async () => {
    const result = await call('load_skill', { skill: 'documents/pdf-forms' }, gatewayWith(1));
    expect(result.structuredContent).toMatchObject({ also_from: COPIES.slice(0, 1) });
    expect(textOf(result)).toContain('\nthe same from: mirror:documents/pdf-forms\n');
    const many = await call('load_skill', { skill: 'documents/pdf-forms' }, gatewayWith(12));
    expect(many.structuredContent).toMatchObject({ also_from: { length: 10 }, also_from_count: 12 });
  });

  it('are not mentioned if there are none', async () => {
    const result = await call('search_skills', { query: 'pdf fields' }, fakeGateway(SKILLS));
    expect(JSON.stringify(result)).not.toMatch(/also_from|same from/);
  });
});
