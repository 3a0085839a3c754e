/** Copies of a skill in the answers of search_skills and load_skill to a real client. */

import { describe, expect, it } from 'vitest';
import type { Gateway } from '../../../../src/gateway/gateway.ts';
import { estimateTokens } from '../../../../src/gateway/tokens.ts';
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

  it('are counted for a hit with its near-copies, and named in its detail', async () => {
    const result = await call('search_skills', { query: 'pdf fields' }, gatewayWith(2));
    expect(result.structuredContent).toMatchObject({ hits: [{ copies: 3 }] });
    expect(textOf(result)).toContain('[+3 copies]');
    const detailed = await call('search_skills', { query: 'pdf fields', detail: true }, gatewayWith(2));
    expect(detailed.structuredContent).toMatchObject({
      hits: [
        { detail: { same_as: COPIES.slice(0, 2).map(({ id }) => id), like: ['mirror/pdf-forms-copy'] } },
      ],
    });
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

  it('are not mentioned if there are none', async () => {
    const result = await call('search_skills', { query: 'cluster' }, fakeGateway(SKILLS));
    expect(JSON.stringify(result)).not.toMatch(/cop(y|ies)/);
  });
});
