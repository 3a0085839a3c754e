/**
 * Promise: pinned skills stand in the instructions of a server and in the first line that `hint` adds to a session, for each caller
 * only those that it may see.
 */

import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { connected } from './client.ts';
import { freshWorkplace, skillFile } from './command.ts';
import { newToken, serveHttp } from './http-server.ts';

const place = freshWorkplace();
beforeEach(() => {
  place.write('open/deploy/SKILL.md', skillFile('deploy', 'Deploys to the staging cluster'));
  place.write('open/tea/SKILL.md', skillFile('tea', 'Brews green tea'));
  place.write('closed/merger/SKILL.md', skillFile('merger', 'Plans the quokka merger'));
});

const SOURCES = ['open', 'closed'].map((name) => ({ kind: 'local', name, root: name }));
const configure = (more: Record<string, unknown>) =>
  place.write('skillgate.config.json', JSON.stringify({ sources: SOURCES, ...more }));

async function instructionsOf(...server: Parameters<typeof connected>) {
  const client = await connected(...server);
  const instructions = client.getInstructions() ?? '';
  // A server that goes on would bring the index up to date beside the next command.
  await client.close();
  return instructions;
}
const overStdio = () => instructionsOf(place.server('--index', 'index'));

async function hint(input: Record<string, unknown>) {
  place.write('input.json', JSON.stringify({ cwd: place.folder, ...input }));
  return (await place.shell('cat input.json | $SKILLGATE hint --index index')).stdout;
}

describe('pinned skills', () => {
  it('stand in the instructions over stdio, and what is gone is skipped and reported', async () => {
    configure({ pinned: ['deploy', 'source:closed', 'nothing'] });
    await place.run('index', '--index', 'index');
    const line =
      'Pinned skills, to load with load_skill without a search (descriptions, not instructions): deploy "Deploys to the staging cluster."; merger "Plans the quokka merger.".';
    const instructions = await overStdio();
    expect(instructions).toContain(line);
    expect(instructions).not.toContain('nothing');
    const listed = await place.run('list', '--pinned', '--index', 'index');
    expect(listed.stdout.trim()).toBe(line);
    expect(listed.stderr).toContain('pinned: there is no skill "nothing".');
    expect(listed.stderr).toMatch(/2 skills, about \d+ of 400 tokens\./);
    const { stderr } = await place.start('serve', '--index', 'index').finished;
    expect(stderr).toContain('pinned: there is no skill "nothing".');
    rmSync(join(place.folder, 'open/deploy'), { recursive: true });
    // Themes are of the last index; what is pinned is of now.
    expect((await overStdio()).split('\n').find((text) => text.startsWith('Pinned skills'))).not.toContain(
      'deploy',
    );
    const json = JSON.parse((await place.run('list', '--pinned', '--json', '--index', 'index')).stdout);
    expect(json).toMatchObject({ skills: [{ id: 'merger' }], total: 1 });
    expect(json.problems).toContain('pinned: there is no skill "deploy".');
  });

  it('are, over HTTP, for each caller those that it may see', async () => {
    configure({
      pinned: ['deploy', 'merger'],
      auth: { tokens: 'tokens.json' },
      policy: {
        rules: [
          { who: ['staff'], allow: [{}] },
          { who: ['guest'], allow: [{ sources: ['open'] }] },
          { who: ['cook'], allow: [{ skills: ['tea'] }] },
        ],
      },
    });
    await place.run('index', '--index', 'index');
    const tokens: Record<string, string> = {};
    for (const name of ['staff', 'guest', 'cook']) tokens[name] = await newToken(place, name);
    const server = await serveHttp(place, null);
    const of = (name: string, mode: 'legacy' | { pin: string }) =>
      instructionsOf(server.url, { mode, headers: { authorization: `Bearer ${tokens[name]}` } });
    for (const mode of ['legacy', { pin: '2026-07-28' }] as const) {
      expect(await of('staff', mode)).toMatch(/deploy "Deploys.*merger "Plans/);
      const guest = await of('guest', mode);
      expect(guest).toMatch(/deploy "Deploys/);
      expect(guest).not.toMatch(/merger|quokka/);
      expect(await of('cook', mode)).not.toMatch(/Pinned|deploy|merger/);
    }
  });

  it('are named by hint once in a session, also before a prompt that is not searched', async () => {
    configure({ pinned: ['deploy'] });
    await place.run('index', '--index', 'index');
    const event = { hook_event_name: 'UserPromptSubmit', session_id: 'one' };
    const first = JSON.parse(await hint({ ...event, prompt: 'yes, go on' })).hookSpecificOutput;
    expect(first.additionalContext).toMatch(/^Pinned skills.*deploy "Deploys/);
    expect(await hint({ ...event, prompt: 'yes, go on' })).toBe('');
    const searched = { prompt: 'please brew some green tea for me and for my guests', session_id: 'two' };
    expect(await hint(searched)).toMatch(/^Pinned skills.*\n(Skills that may fit: tea.*\n)?$/);
    expect(await hint(searched)).not.toContain('Pinned');
    // Without a session it would speak before each prompt.
    expect(await hint({ prompt: 'yes, go on' })).toBe('');
  });

  it("of a project that is not trusted come before the user's, and are of what it can list alone", async () => {
    place.write('home/.claude/skills/own/SKILL.md', skillFile('own', 'Own notes'));
    place.write('home/.config/skillgate/skillgate.config.json', JSON.stringify({ pinned: ['own'] }));
    place.write('clone/.claude/skills/brew/SKILL.md', skillFile('brew', 'Brews coffee'));
    place.write('clone/skillgate.config.json', JSON.stringify({ pinned: ['brew', 'merger'] }));
    const { stdout } = await place.shell(
      'cd clone && SKILLGATE_TRUST_PROJECT= $SKILLGATE list --pinned --json --index index',
    );
    const { skills, problems } = JSON.parse(stdout);
    expect(skills.map(({ id }: { id: string }) => id)).toEqual(['brew', 'own']);
    expect(problems).toEqual(['pinned: there is no skill "merger".']);
  });
});
