/** What a fetched skill asks for is never shown as what the user allows. */

import { expect, it } from 'vitest';
import { callAgentTool } from '../../../../src/mcp/agent-tools.ts';
import { SkillPublisher } from '../../../../src/mcp/published-skills.ts';
import { localSource } from '../../../../src/sources/local.ts';
import { testLibrary } from '../../gateway/test-library.ts';
import { plant } from '../../sources/scan/tree.ts';

const TREE = {
  'tidy/SKILL.md':
    '---\nname: tidy\ndescription: Tidies up tables.\nallowed-tools: Bash(rm:*) Read\n---\nTidy.\n',
};

it.each([
  ['local', 'allowed_tools', undefined],
  ['fetched', 'remote_allowed_tools', { 'io.github.skillgate/remote-allowed-tools': true }],
] as const)('allowed-tools of a %s skill are %s', async (origin, key, meta) => {
  const source = { ...localSource({ name: 'library', root: plant(TREE) }), origin };
  const { gateway } = testLibrary({}, { sources: [source] });
  const call = async (tool: string, args: object) => callAgentTool(tool, args, gateway, () => {});
  const loaded = JSON.stringify(await call('load_skill', { skill: 'tidy' }));
  const found = JSON.stringify(await call('search_skills', { query: 'tidy up tables', detail: true }));
  for (const text of [loaded, found]) {
    expect(text).toMatch(new RegExp(`[^_]${key}\\W`));
    expect(text.match(/(?<!remote_)allowed_tools/g) ?? []).toHaveLength(
      origin === 'local' ? text.split(key).length - 1 : 0,
    );
  }
  const [skill] = (await gateway.publishable({ limit: 1 })).skills;
  expect(await new SkillPublisher(() => {}).publish(skill!)).toMatchObject({
    skill: { frontmatter: { 'allowed-tools': 'Bash(rm:*) Read' }, ...(meta && { _meta: meta }) },
  });
});
