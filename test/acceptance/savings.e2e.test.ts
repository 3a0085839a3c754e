/** Promise: `savings` says what the lists of hosts take and leave out, and what searches and loads took, from the audit log. */

import { beforeAll, expect, it } from 'vitest';
import { connected } from './client.ts';
import { skillFile, workplace } from './command.ts';

const place = workplace();
let searched = 0;
let loaded = 0;
beforeAll(async () => {
  const description = 'Deploys to the staging cluster, and watches it. '.repeat(8).trim();
  for (let at = 0; at < 60; at += 1)
    place.write(`home/.claude/skills/deploy-${at}/SKILL.md`, skillFile(`deploy-${at}`, description));
  await place.run('connect', 'claude-code', '--yes', '--keep-skills');
  const client = await connected(place.server('--set', 'telemetry.audit=audit.jsonl'));
  const text = async (name: string, args: Record<string, unknown>) => {
    const { content } = await client.callTool({ name, arguments: args });
    return content.map((block) => ('text' in block ? block.text : '')).join('\n');
  };
  searched = (await text('search_skills', { query: 'deploy to the staging cluster' })).length;
  loaded = (await text('load_skill', { skill: 'deploy-7' })).length;
  await client.close();
}, 60_000);

it('of a connected host and a session', async () => {
  const { stdout } = await place.run('savings', 'audit.jsonl', '--json');
  const { hosts, own, used } = JSON.parse(stdout);
  expect(hosts).toEqual([
    {
      name: 'Claude Code',
      connected: true,
      hidden: false,
      skills: 60,
      tokens: expect.any(Number),
      omitted: 0,
      withoutDescription: expect.any(Number),
      shortenedTo: null,
    },
  ]);
  // 8,000 characters less 60 × (9 + 4) leave room for 18 descriptions of 383 characters.
  expect(hosts[0].withoutDescription).toBeGreaterThan(35);
  expect(own).toBeGreaterThan(300);
  expect(used).toMatchObject({
    sessions: 1,
    searches: { calls: 1 },
    loads: { calls: 1 },
    reads: { calls: 0 },
  });
  // The answer as the model got it, at 3.6 characters a token; a load's text has more around its instructions.
  expect(used.searches.tokens).toBeGreaterThan(0.8 * (searched / 3.6));
  expect(used.searches.tokens).toBeLessThan(1.2 * (searched / 3.6));
  expect(used.loads.tokens).toBeGreaterThan(0);
  expect(used.loads.tokens).toBeLessThanOrEqual(loaded / 3.6);
});

it('prints the same, says that it estimates, and needs no log', async () => {
  const { stdout } = await place.run('savings', 'audit.jsonl');
  expect(stdout).toMatch(
    /Claude Code: its own list of 60 skills is on\. It takes about [\d,]+ tokens of every prompt, and shows \d+ skills by name alone\./,
  );
  expect(stdout).toMatch(/From the log: 1 start of a server, 1 search \(about \d+ tokens\), 1 load/);
  expect(stdout).toContain('All tokens are estimates');
  const without = await place.run('savings');
  expect(without.code).toBe(0);
  expect(without.stdout).toContain('set telemetry.audit to a file');
  expect((await place.run('savings', 'none.jsonl')).code).toBe(2);
});
