import { McpServer } from '@modelcontextprotocol/server';
import { SkillsExtension, skillEntry } from '@modelcontextprotocol/server/ext/skills';
import { describe, expect, it } from 'vitest';
import { catalogOf, draftAServer, draftBServer, resourcesServer } from '../../../peers/honest.ts';
import {
  endlessServer,
  escapingServer,
  hugeServer,
  lyingServer,
  nonsenseServer,
} from '../../../peers/hostile.ts';
import { onHostileServer, onOlderServer, onServer, readAll } from '../../../peers/in-memory.ts';
import { digestOf, UPSTREAM_SKILLS } from '../../../peers/skills.ts';

const KILN = {
  'SKILL.md': UPSTREAM_SKILLS['kiln/SKILL.md'],
  'references/cones.md': UPSTREAM_SKILLS['kiln/references/cones.md'],
};
const ASH = { 'SKILL.md': UPSTREAM_SKILLS['glazes/ash/SKILL.md'] };

describe('skills by the Skills extension', () => {
  it('are all listed files', async () => {
    const catalog = await catalogOf({ ...UPSTREAM_SKILLS });
    expect(await readAll(await onServer(() => catalog.server()))).toEqual({
      'skill://pottery/kiln/SKILL.md': KILN,
      'skill://pottery/glazes/ash/SKILL.md': ASH,
    });
  });

  it('are all files of its directories if the skill is dynamic', async () => {
    const entry = {
      ...(await skillEntry('kiln', { 'SKILL.md': KILN['SKILL.md'] ?? '' })),
      resources: 'dynamic' as const,
    };
    const files: Record<string, string | undefined> = {
      'skill://kiln/SKILL.md': KILN['SKILL.md'],
      'skill://kiln/references/cones.md': KILN['references/cones.md'],
    };
    const directories: Record<string, readonly string[]> = {
      'skill://kiln': ['skill://kiln/SKILL.md', 'skill://kiln/references'],
      'skill://kiln/references': ['skill://kiln/references/cones.md'],
    };
    const client = await onServer(() => {
      const server = new McpServer({ name: 'dynamic', version: '1' });
      new SkillsExtension({
        source: {
          list: async () => ({ skills: [entry] }),
          get: async () => entry,
          read: async (uri) => ({ text: files[uri] ?? '' }),
          readDirectory: async (uri) => ({
            resources: (directories[uri.replace(/\/$/, '')] ?? []).map((child) => ({
              uri: child,
              name: child,
              ...(child in directories && { mimeType: 'inode/directory' }),
            })),
          }),
        },
      }).attach(server);
      return server;
    });
    expect(await readAll(client)).toEqual({ 'skill://kiln/SKILL.md': KILN });
  });

  it('are refused individually if a digest is wrong', async () => {
    const all = await readAll(await onHostileServer(lyingServer()));
    expect(all['skill://h/honest/SKILL.md']).toHaveProperty(['SKILL.md']);
    expect(all['skill://h/lying/SKILL.md']).toMatch(/^SkillRefusedError: .* has digest sha256:/);
  });

  it('are read once more if list and files disagree, since they may have changed in between', async () => {
    const lying = lyingServer();
    let listed = false;
    const client = await onHostileServer({
      ...lying,
      async answer(method, params) {
        const answer = await lying.answer(method, params);
        if (method === 'skills/get') listed = true;
        if (!listed || method !== 'skills/get') return answer;
        const entry = (answer as { skill: { resources: { uri: string; digest: string; size: number }[] } })
          .skill;
        const last = entry.resources.at(-1);
        if (last !== undefined)
          Object.assign(last, { digest: await digestOf('What is sent!!!!!!'), size: 18 });
        return answer;
      },
    });
    const all = await readAll(client);
    expect(all['skill://h/lying/SKILL.md']).toMatchObject({ 'references/a.md': 'What is sent!!!!!!' });
  });

  it.each(['same', 'new'] as const)(
    'end if pages are endless, with the %s cursor each time',
    async (cursor) => {
      await expect(readAll(await onHostileServer(endlessServer(cursor)))).rejects.toMatchObject({
        code: 'UPSTREAM_FLOOD',
      });
    },
  );

  it('are refused if the list has invalid entries', async () => {
    const all = await readAll(await onHostileServer(nonsenseServer()));
    expect(Object.keys(all)).toHaveLength(5);
    for (const outcome of Object.values(all)) expect(outcome).toMatch(/^SkillRefusedError: /);
  });
});

describe('skills as plain resources', () => {
  it('are each SKILL.md with the files of its folder, and nothing else', async () => {
    expect(await readAll(await onServer(() => resourcesServer()))).toEqual({
      'skill://library/kiln/SKILL.md': KILN,
      'skill://library/glazes/ash/SKILL.md': ASH,
    });
  });

  it('are refused if a file path leads elsewhere', async () => {
    const all = await readAll(await onHostileServer(escapingServer()));
    expect(all['skill://h/honest/SKILL.md']).toHaveProperty(['SKILL.md']);
    for (const name of ['up', 'drive', 'nul'])
      expect(all[`skill://h/${name}/SKILL.md`]).toMatch(/^SkillRefusedError: /);
  });

  it('are refused over 16 MiB each, and fail the fetch over the source’s limit', async () => {
    const huge = await readAll(await onHostileServer(hugeServer(17 * 2 ** 20)));
    expect(huge['skill://h/huge/SKILL.md']).toContain('more than 16777216 bytes');
    const over = await readAll(await onHostileServer(hugeServer(2_000)), 1_000);
    expect(over['skill://h/huge/SKILL.md']).toContain('UpstreamError: Its skills have more than 1000 bytes');
  });
});

describe('skills by the older drafts', () => {
  it('are built from `skills/read` and `skills/read_reference`, without files that the server does not give', async () => {
    const all = await readAll(await onOlderServer(draftAServer()));
    expect(Object.keys(all)).toEqual(['kiln', 'glazes/ash']);
    expect(all.kiln).toEqual({
      'SKILL.md':
        '---\nname: "kiln"\ndescription: "Fire stoneware in an electric kiln, cone by cone."\nmetadata:\n  keywords: "clay"\n---\n# Kiln\n\nStart it with kiln_start, then read [cones](references/cones.md).\n',
      'references/cones.md': KILN['references/cones.md'],
    });
  });

  it('are built from `skills/get`, with arguments left as placeholders', async () => {
    const all = await readAll(await onOlderServer(draftBServer()));
    expect(all.kiln).toMatchObject({
      'SKILL.md': expect.stringMatching(/skillgate\.tools: "kiln_start"[\s\S]*\nFire to \$cone\.\n$/),
      'references/cones.md': KILN['references/cones.md'],
    });
  });
});

describe('the strategy', () => {
  it('may be none: a server with only tools has no skills, one with neither is an error', async () => {
    const tools = await onServer(
      () => new McpServer({ name: 't', version: '1' }, { capabilities: { tools: {} } }),
    );
    expect(await readAll(tools)).toEqual({});
    const nothing = await onServer(() => new McpServer({ name: 'n', version: '1' }));
    await expect(readAll(nothing)).rejects.toMatchObject({ code: 'UPSTREAM_ANSWER' });
  });
});
