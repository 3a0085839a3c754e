/** All tools: their committed schemas, their common rules, and their cost in tokens. */

import { describe, expect, it } from 'vitest';
import { tokensIn } from '../../../bench/tokens.ts';
import type { Gateway } from '../../../src/gateway/gateway.ts';
import { estimateTokens } from '../../../src/gateway/tokens.ts';
import { fakeGateway, SKILLS } from './fake-gateway.ts';
import { connect, ERAS, textOf } from './harness.ts';

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

  it('takes an object whose fields are in snake_case and of one plain type each', () => {
    expect(tool.inputSchema.type).toBe('object');
    for (const [name, field] of Object.entries(tool.inputSchema.properties ?? {})) {
      expect(name).toMatch(/^[a-z]+(_[a-z]+)*$/);
      // Several hosts pass schemas to models that support neither unions nor tuples.
      expect(field).toMatchObject({ type: expect.stringMatching(/^(string|integer|boolean|object)$/) });
      expect(field).toMatchObject({ description: expect.stringMatching(/^["A-Za-z]/) });
    }
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
    const { client } = await connect('legacy', gateway);
    const { tools: named } = await client.listTools();
    expect(named[0]?.description).toContain('1,000,000 Agent Skills');
    expect(named[0]?.description).toContain('"word0, other0" (3,000)');
    expect(estimateTokens(named.map(({ description }) => description).join('\n'))).toBeLessThanOrEqual(250);
  });

  it('take at most 1,800 tokens, and 900 without output schemas, counted with a real vocabulary', async () => {
    const gateway = fakeGateway(SKILLS, {
      skills: 24_849,
      languages: [{ language: 'en', percent: 97 }],
      themes: Array.from({ length: 8 }, (_, at) => ({
        label: `word${at}, other${at}`,
        skills: 3_000,
        samples: [],
      })),
    });
    for (const [answers, most] of [
      ['both', 1_800],
      ['text', 900],
    ] as const) {
      const { client } = await connect('2026-07-28', gateway, { answers });
      const listed = await client.listTools();
      expect(tokensIn(JSON.stringify(listed.tools))).toBeLessThanOrEqual(most);
    }
  });

  it('have neither output schemas nor structured content with text answers', async () => {
    const { client } = await connect('legacy', fakeGateway(SKILLS), { answers: 'text' });
    const { tools: named } = await client.listTools();
    const answers = await Promise.all([
      client.callTool({ name: 'search_skills', arguments: { query: 'pdf' } }),
      client.callTool({ name: 'load_skill', arguments: { skill: 'nothing' } }),
    ]);
    expect(named.filter((tool) => 'outputSchema' in tool)).toEqual([]);
    expect(answers.map((answer) => 'structuredContent' in answer)).toEqual([false, false]);
    expect(answers.map(({ isError = false }) => isError)).toEqual([false, true]);
  });

  it('have schemas of one type each, which every client can map', () => {
    // The Inspector's --strict warns of lists of types.
    for (const { name, inputSchema, outputSchema } of [...tools, ...modern])
      expect(JSON.stringify([inputSchema, outputSchema]), name).not.toMatch(/"type":\[/);
  });

  it.each(ERAS)('are text for a client that shows a model the JSON, by its name (%s)', async (era) => {
    const formOf = async (name: string) => {
      const { client } = await connect(era, fakeGateway(SKILLS), { answers: 'auto' }, name);
      const listed = (await client.listTools()).tools;
      const answer = await client.callTool({ name: 'search_skills', arguments: { query: 'pdf' } });
      return [listed.some((tool) => 'outputSchema' in tool), 'structuredContent' in answer];
    };
    expect(await formOf('claude-code')).toEqual([false, false]);
    expect(await formOf('codex-mcp-client')).toEqual([false, false]);
    expect(await formOf('some-program')).toEqual([true, true]);
  });

  it.each([
    ['@cline/core', {}, 8_000],
    ['copilot-cli', {}, 20_480],
    ['some-program', { maxCharacters: 5_000 }, 5_000],
    ['some-program', {}, null],
  ] as const)(
    '%s %j: skills and files are cut to what is shown, and say how to go on',
    async (name, more, most) => {
      const text = `${'A line of a long text.\n'.repeat(4_000)}`;
      const long = {
        id: 'a/long',
        description: 'Long.',
        files: { 'SKILL.md': `---\n---\n\n${text}`, 'notes.md': text },
      };
      const { client } = await connect('legacy', fakeGateway([long]), { answers: 'auto', ...more }, name);
      const answers = await Promise.all([
        client.callTool({ name: 'load_skill', arguments: { skill: 'a/long', max_tokens: 20_000 } }),
        client.callTool({
          name: 'read_reference',
          arguments: { skill: 'a/long', path: 'notes.md', max_tokens: 20_000 },
        }),
      ]);
      for (const answer of answers) {
        const shown = textOf(answer);
        if (most === null) expect(shown.length).toBeGreaterThan(60_000);
        else expect(shown.length).toBeLessThanOrEqual(most);
        expect(shown).toContain('Go on with read_reference');
        // Some clients join blocks without a line break.
        expect(JSON.stringify(answer.content)).toMatch(/\\n\\n"\},\{"type":"text"/);
      }
    },
  );
});
