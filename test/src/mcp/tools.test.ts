/** All tools: their committed schemas, their common rules, and their cost in tokens. */

import { describe, expect, it } from 'vitest';
import { estimateTokens, type Gateway } from '../../../src/gateway/public.ts';
import { fakeGateway } from './fake-gateway.ts';
import { connect, type ERAS, SKILLS } from './harness.ts';

/** Tools as a client sees them without an open catalog, so that texts and schemas do not depend on one. */
async function listed(era: (typeof ERAS)[number]) {
  const never = () => new Promise<Gateway>(() => {});
  const { client, close } = await connect(era, never, { guideTimeoutMs: 0 });
  const { tools } = await client.listTools();
  await close();
  return tools;
}

const [tools, modern] = [await listed('legacy'), await listed('2026-07-28')];

describe.each(tools)('the tool $name', (tool) => {
  // After an intended change: npx vitest run test/src/mcp/tools.test.ts -u
  it('has the committed name, texts and schemas', async () => {
    await expect(`${JSON.stringify(tool, null, 2)}\n`).toMatchFileSnapshot(
      `../../golden/tools/${tool.name}.json`,
    );
  });

  it('is the same on both eras', () => {
    expect(modern.find(({ name }) => name === tool.name)).toEqual(tool);
  });

  it('is named in snake_case, with a title and a description in sentences', () => {
    expect(tool.name).toMatch(/^[a-z]+(_[a-z]+)*$/);
    expect(tool.title).toMatch(/^[A-Z]/);
    expect(tool.description).toMatch(/^[A-Z].*\.$/s);
  });

  it('is annotated as read-only and closed-world', () => {
    expect(tool.annotations).toEqual({
      readOnlyHint: true,
      destructiveHint: false,
      idempotentHint: true,
      openWorldHint: false,
    });
  });

  it('takes an object whose fields are in snake_case and of one plain type each', () => {
    expect(tool.inputSchema.type).toBe('object');
    for (const [name, field] of Object.entries(tool.inputSchema.properties ?? {})) {
      expect(name).toMatch(/^[a-z]+(_[a-z]+)*$/);
      // Several hosts pass schemas to models that support neither unions nor tuples.
      expect(field).toMatchObject({ type: expect.stringMatching(/^(string|integer|boolean|object)$/) });
      expect(field).toMatchObject({ description: expect.stringMatching(/^["A-Za-z]/) });
    }
  });

  it('returns an object: the result or a failure', () => {
    expect(tool.outputSchema).toMatchObject({ type: 'object', anyOf: expect.any(Array) });
    expect(JSON.stringify(tool.outputSchema)).toContain('Stable, such as SKILL_UNKNOWN');
  });
});

describe('the tools together', () => {
  it('have descriptions of at most 250 tokens, even for the largest catalog', async () => {
    const themes = Array.from({ length: 8 }, (_, at) => ({
      label: `word${at}, other${at}`,
      skills: 3_000,
      samples: [],
    }));
    const gateway = fakeGateway(SKILLS, { skills: 1_000_000, themes });
    const { client, close } = await connect('legacy', gateway);
    const { tools: named } = await client.listTools();
    await close();
    expect(named[0]?.description).toContain('1,000,000 Agent Skills');
    expect(named[0]?.description).toContain('"word0, other0" (3,000)');
    expect(estimateTokens(named.map(({ description }) => description).join('\n'))).toBeLessThanOrEqual(250);
  });

  it('take less than 1,200 tokens, including their arguments', () => {
    const advertised = tools.map(({ name, description, inputSchema }) => ({
      name,
      description,
      inputSchema,
    }));
    expect(estimateTokens(JSON.stringify(advertised))).toBeLessThan(1_200);
  });
});
