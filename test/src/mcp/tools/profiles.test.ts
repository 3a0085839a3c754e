/** The tool profiles of other servers, with the SDK's client and real folders, on both eras. */

import { isAbsolute, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { estimateTokens, type Gateway } from '../../../../src/gateway/public.ts';
import { INSTRUCTIONS_TOKENS, SEARCH_TOKENS, writeGuide } from '../../../../src/mcp/instructions.ts';
import { mcpServerFactory } from '../../../../src/mcp/server.ts';
import { PROFILE_NAMES, PROFILES, type ProfileName } from '../../../../src/mcp/tools/profiles.ts';
import { extendedServer } from '../extended-server.ts';
import { connectTo, ERAS, textOf } from '../harness.ts';
import { DIALECT_SKILLS, type RealCatalog, realCatalog } from '../real-catalog.ts';

let catalog: RealCatalog;
beforeAll(async () => {
  catalog = await realCatalog(DIALECT_SKILLS);
});
afterAll(() => catalog.close());

const others = PROFILE_NAMES.filter((name) => name !== 'search-first');

describe.each(others)('the tools of the profile %s', (name) => {
  const listed = async (era: (typeof ERAS)[number]) => {
    const gateway = () => new Promise<Gateway>(() => {});
    const profile = PROFILES[name];
    const factory = mcpServerFactory({ gateway, version: '0', log: () => {}, profile, guideTimeoutMs: 0 });
    const { client, close } = await connectTo(factory, era);
    const { tools } = await client.listTools();
    await close();
    return tools;
  };

  // After an intended change: npx vitest run test/src/mcp/tools/profiles.test.ts -u
  it('have the committed names, texts and schemas, the same on both eras [tools/schemas]', async () => {
    const tools = await listed('legacy');
    expect(await listed('2026-07-28')).toEqual(tools);
    for (const tool of tools)
      await expect(`${JSON.stringify(tool, null, 2)}\n`).toMatchFileSnapshot(
        `../../../golden/tools/${name}/${tool.name}.json`,
      );
  });
});

describe.each(PROFILE_NAMES)('the instructions for %s', (name) => {
  const { tools, wording } = PROFILES[name];
  const every = PROFILE_NAMES.flatMap((profile) => PROFILES[profile].tools.map((tool) => tool.name));

  it('name its tools and no others, within their budgets [tools/instructions]', () => {
    const themes = Array.from({ length: 8 }, (_, at) => ({
      label: `word${at}, other${at}`,
      skills: 3_000,
      samples: ['one-name', 'another-name'],
    }));
    const languages = [{ language: 'en', percent: 97 }];
    const summary = { skills: 24_849, references: 0, sources: [], themes, languages, generation: 1 };
    const { instructions, search } = writeGuide(summary, wording);
    const own = new Set(tools.map((tool) => tool.name));
    const named = every.filter((tool) => new RegExp(`\\b${tool}\\b`).test(`${instructions} ${search}`));
    expect(named.filter((tool) => !own.has(tool))).toEqual([]);
    expect(instructions).toContain(tools[0]?.name);
    expect(estimateTokens(instructions)).toBeLessThanOrEqual(INSTRUCTIONS_TOKENS);
    expect(estimateTokens(search)).toBeLessThanOrEqual(SEARCH_TOKENS);
    expect(instructions).toContain('"word0, other0"');
  });
});

describe.each(ERAS)('on %s', (era) => {
  const call = async (tools: ProfileName, name: string, args: Record<string, unknown>) => {
    const { client, close } = await connectTo(extendedServer(catalog.gateway, { tools }), era);
    const result = await client.callTool({ name, arguments: args });
    await close();
    return result;
  };

  it('skills-mcp lists the catalog without arguments [tools/skills-mcp-list]', async () => {
    const result = await call('skills-mcp', 'list_skills', {});
    expect(result.structuredContent).toEqual({
      total: 4,
      skills: [
        { id: 'kiln', name: 'Kiln Firing', description: 'Fire stoneware in an electric kiln.' },
        { id: 'pdf-forms', name: 'pdf-forms', description: 'Fill in and flatten PDF forms.' },
        { id: 'team-a/deploy', name: 'deploy', description: 'Deploy to the cluster of team A.' },
        { id: 'team-b/deploy', name: 'deploy', description: 'Deploy to the cluster of team B.' },
      ],
    });
    expect(textOf(result)).toContain('- kiln (Kiln Firing): Fire stoneware');
  });

  it('skills-mcp returns a skill whose file is at the returned path [tools/skills-mcp-get]', async () => {
    const result = await call('skills-mcp', 'get_skill', { id: 'pdf-forms' });
    const path = join(catalog.root, 'pdf-forms', 'SKILL.md');
    expect(isAbsolute(path)).toBe(true);
    expect(result.structuredContent).toEqual({
      path,
      name: 'pdf-forms',
      description: 'Fill in and flatten PDF forms.',
      content: '# PDF forms\n\nOpen $form and fill each field.\n\nSee [fields](references/fields.md).',
    });
    expect(textOf(result)).toContain(`path: ${path}`);
  });

  it('skills-mcp answers an unknown and an ambiguous skill with alternatives [tools/skills-mcp-get]', async () => {
    for (const [id, code] of [
      ['none', 'SKILL_UNKNOWN'],
      ['deploy', 'SKILL_AMBIGUOUS'],
    ]) {
      const result = await call('skills-mcp', 'get_skill', { id });
      expect(result).toMatchObject({ isError: true, structuredContent: { error: { code } } });
    }
  });

  it('skill-engine lists the first 50 by default [tools/skill-engine-list]', async () => {
    const all = await call('skill-engine', 'list_skills', {});
    expect(all.structuredContent).toMatchObject({ total: 4, limit: 50, offset: 0 });
    const part = await call('skill-engine', 'list_skills', { limit: 2, offset: '1' });
    expect(part.structuredContent).toMatchObject({
      total: 4,
      limit: 2,
      offset: 1,
      skills: [{ skill_name: 'pdf-forms', tools: ['scripts/fill.py'] }, { skill_name: 'team-a/deploy' }],
    });
    const beyond = await call('skill-engine', 'list_skills', { offset: 1_000 });
    expect(beyond.structuredContent).toMatchObject({ total: 4, skills: [] });
    expect(await call('skill-engine', 'list_skills', { offset: -1 })).toHaveProperty('isError', true);
  });

  it('skill-engine finds by intent and returns the path [tools/skill-engine-search]', async () => {
    const result = await call('skill-engine', 'search_skills', { query: 'fire pottery in a kiln' });
    expect(result.structuredContent).toMatchObject({
      skills: [
        {
          skill_name: 'kiln',
          path: join(catalog.root, 'kiln', 'SKILL.md'),
          score: expect.any(Number),
        },
        expect.anything(),
        expect.anything(),
        expect.anything(),
      ],
    });
    const one = await call('skill-engine', 'search_skills', { query: 'fill a form', top_k: 1 });
    expect(one.structuredContent).toMatchObject({
      skills: [{ skill_name: 'pdf-forms', uri: 'skill://dialects/pdf-forms/SKILL.md' }],
    });
    expect(textOf(one)).toContain('uri: skill://dialects/pdf-forms/SKILL.md');
  });

  it('skill-engine returns no uri for a skill that is not a resource [tools/skill-engine-search]', async () => {
    const result = await call('skill-engine', 'search_skills', { query: 'kiln', top_k: 1 });
    expect(JSON.stringify(result)).not.toContain('skill://');
  });

  it('skill-engine runs nothing [tools/skill-engine-execute]', async () => {
    for (const parameters of [undefined, {}, { form: 'x' }, '{"form": "x"}']) {
      const args = {
        skill_name: 'pdf-forms',
        tool_name: 'scripts/fill.py',
        ...(parameters && { parameters }),
      };
      const result = await call('skill-engine', 'execute', args);
      expect(result).toMatchObject({
        isError: true,
        structuredContent: {
          error: { code: 'EXECUTION_DISABLED', skill: 'pdf-forms', script: 'scripts/fill.py' },
        },
      });
      expect(textOf(result)).toMatch(/not enabled.*nothing was run/);
    }
  });
});
