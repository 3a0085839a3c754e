/** Promise: an agent writes requests for skills once, people's words find them from then on, and one command takes it back. */

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { connected } from './client.ts';
import { examples, freshWorkplace, skillFile } from './command.ts';

const place = freshWorkplace();
const ASKED = 'our API has to be restarted every night';
const SKILL = 'node-memory-leak-hunt';
const LINE = JSON.stringify({
  skill: SKILL,
  requests: [ASKED, 'heap grows until the process dies', 'process is killed for its memory'],
});

async function json(...args: string[]) {
  const { code, stdout, stderr } = await place.run(...args, '--skills', examples, '--json');
  expect(code, stderr).toBe(0);
  return JSON.parse(stdout);
}
const firstHit = async () => (await json('search', ASKED)).hits[0].id as string;

describe('requests of an agent', () => {
  it('are asked for in batches, kept beside the configuration, and removed by one command', async () => {
    const before = await firstHit();
    expect(before).not.toBe(SKILL);
    const batch = await json('requests', 'write', '--size', '3');
    expect([batch.skills.length, batch.left]).toEqual([3, 29]);
    const file = place.write('lines.jsonl', `${LINE}\n`);
    expect(await json('requests', 'add', file)).toEqual({ written: 1, left: 31, refused: [], notes: [] });
    expect(readFileSync(join(place.home, '.config/skillgate/skillgate.requests.jsonl'), 'utf8')).toContain(
      ASKED,
    );
    expect(existsSync(join(examples, 'skillgate.requests.jsonl'))).toBe(false);
    expect(await firstHit()).toBe(SKILL);
    const { missed, queries } = await json('eval');
    expect([missed, queries]).toEqual([[], 3]);
    expect(await json('requests')).toMatchObject({ skills: 32, agent: 1, old: [] });
    expect(await json('requests', 'remove', '--all')).toEqual({ removed: 1 });
    expect(await firstHit()).toBe(before);
  });

  it('of a skill that changed are old, and still find it', async () => {
    const write = (body: string) =>
      place.write(
        'skills/ship/SKILL.md',
        skillFile('ship', 'Sends packages. Use when an order is paid.', body),
      );
    write('Pack.\n');
    const requests = ['where is my parcel', 'customer got nothing', 'courier pickup'];
    const lines = place.write('lines.jsonl', JSON.stringify({ skill: 'ship', requests }));
    const added = await place.run('requests', 'add', lines, '--skills', 'skills');
    expect(added.code, added.stderr).toBe(0);
    write('Pack, then weigh.\n');
    const { stdout } = await place.run('requests', '--skills', 'skills', '--json');
    expect(JSON.parse(stdout)).toMatchObject({ old: ['ship'], without: [] });
    const found = await place.run('search', 'customer got nothing', '--skills', 'skills');
    expect(found.stdout).toContain('asked like this: customer got nothing');
    place.write(
      'skills/ship/SKILL.md',
      skillFile('ship', 'Sends packages. Not for courier pickup.', 'Pack.\n'),
    );
    const { diagnostics } = JSON.parse((await place.run('validate', 'skills', '--json')).stdout);
    expect(
      diagnostics.filter(
        ({ diagnostic }: { diagnostic: { id: string } }) => diagnostic.id === 'requests-refused',
      ),
    ).toEqual([
      {
        skill: null,
        file: expect.stringContaining('skillgate.requests.jsonl'),
        diagnostic: expect.objectContaining({
          message: expect.stringMatching(/^"ship" has 2 usable requests/),
          position: { line: 1, column: 1 },
        }),
      },
    ]);
  });

  it('that are refused are named by their line, with exit code 1, and lose nothing', async () => {
    const lines = place.write('lines.jsonl', `garbage\n${LINE}\n{"skill":"nope","requests":[]}\n`);
    const { code, stdout, stderr } = await place.run('requests', 'add', lines, '--skills', examples);
    expect(code).toBe(1);
    expect(stderr).toMatch(/line 1: It is no JSON object(.|\n)*line 3: There is no skill "nope"/);
    expect(stdout).toContain('Requests of 1 skill are kept, 2 lines refused.');
  });

  it('are asked for by the prompt of a local server, in the words of the command', async () => {
    const client = await connected(place.server('--skills', examples));
    const { messages } = await client.getPrompt({ name: 'write-requests' });
    const { stdout } = await place.run('requests', 'write', '--skills', examples);
    expect(messages).toEqual([{ role: 'user', content: { type: 'text', text: stdout.trimEnd() } }]);
  });

  it('are asked for again where a skill has changed in a project that the client has open', async () => {
    const write = (body: string) =>
      place.write(
        'opened/.claude/skills/ship/SKILL.md',
        skillFile('ship', 'Sends packages. Use when an order is paid.', body),
      );
    write('Pack.\n');
    place.write('opened/.git/HEAD', '');
    const opened = join(place.folder, 'opened');
    const requests = ['where is my parcel', 'customer got nothing', 'courier pickup'];
    const lines = place.write('lines.jsonl', JSON.stringify({ skill: 'ship', requests }));
    const added = await place.runIn('opened', 'requests', 'add', lines);
    expect(added.code, added.stderr).toBe(0);
    write('Pack, then weigh.\n');
    const client = await connected(place.server(), { mode: 'legacy', roots: [opened] });
    try {
      const { messages } = await client.getPrompt({ name: 'write-requests' });
      expect(JSON.stringify(messages)).toContain('Sends packages.');
    } finally {
      await client.close();
    }
  });
});
