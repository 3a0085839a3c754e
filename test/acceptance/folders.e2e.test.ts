/** Promise: skills are found where a person works, and a folder that was named but is not there never goes unnoticed. */

import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { beforeEach, describe, expect, it } from 'vitest';
import { connected } from './client.ts';
import { freshWorkplace, skillFile } from './command.ts';

const place = freshWorkplace();

const ids = async (folder: string) => {
  const { code, stdout, stderr } = await place.runIn(folder, 'list', '--json');
  expect({ code, stderr }).toMatchObject({ code: 0 });
  return (JSON.parse(stdout).skills as { id: string }[]).map(({ id }) => id).sort();
};

/** Hosts whose folder at home has another name than that of a project. */
const HOMES: Readonly<Record<string, string>> = {
  '.github': '.copilot',
  '.opencode': '.config/opencode',
  '.goose': '.config/goose',
};

describe('the folders of a project', () => {
  it('are those of all hosts, from any subfolder up to its root, and those at home', async () => {
    place.write('project/.git/HEAD', '');
    const hosts = ['.claude', '.agents', '.codex', '.github', '.cursor', '.gemini', '.opencode', '.goose'];
    for (const host of hosts) {
      const name = host.slice(1);
      place.write(`project/${host}/skills/${name}-one/SKILL.md`, skillFile(`${name}-one`, `Use ${name}`));
      // GitHub's is of repositories alone.
      const home = HOMES[host] ?? host;
      place.write(
        `home/${home}/skills/${name}-two/SKILL.md`,
        skillFile(`${name}-two`, `Use ${name} at home`),
      );
    }
    place.write('project/a/.claude/skills/near/SKILL.md', skillFile('near', 'Lies near'));
    place.write('.claude/skills/outside/SKILL.md', skillFile('outside', 'Lies outside of the project'));
    mkdirSync(join(place.folder, 'project/a/b/c'), { recursive: true });
    const all = hosts.flatMap((host) => [`${host.slice(1)}-one`, `${host.slice(1)}-two`]);
    expect(await ids('project/a/b/c')).toEqual([...all, 'near'].sort());
  });
});

describe('a named folder that is not there', () => {
  it.each([
    ['search', ['search', 'tea', '--skills', 'nowhere']],
    ['index', ['index', 'nowhere']],
    ['validate', ['validate', 'nowhere']],
    ['list, of two folders', ['list', '--skills', 'there', '--skills', 'nowhere']],
  ])('is an error of %s', async (_, args) => {
    place.write('there/tea/SKILL.md', skillFile('tea', 'Brew tea'));
    const { code, stderr } = await place.run(...args, '--index', 'index');
    expect(code).toBe(2);
    expect(stderr).toContain(`does not exist: ${join(place.folder, 'nowhere')}.`);
    expect(stderr).toContain('Name an existing folder');
  });

  it('is a warning of doctor and config check', async () => {
    const doctor = await place.run('doctor', '--skills', 'nowhere', '--json');
    expect(JSON.parse(doctor.stdout).checks).toContainEqual(
      expect.objectContaining({
        name: 'folders',
        state: 'note',
        message: expect.stringContaining('nowhere'),
      }),
    );
    const check = await place.run('config', 'check', '--skills', 'nowhere', '--json');
    expect(JSON.parse(check.stdout).warnings).toEqual([expect.stringContaining('nowhere')]);
  });

  it('doctor shows and counts diagnostics where every skill is a link out of the project', async () => {
    place.write('dotfiles/wrap-up/SKILL.md', skillFile('wrap-up', 'Wrap up'));
    place.write('there/.git/HEAD', '');
    mkdirSync(join(place.folder, 'there/.claude/skills'), { recursive: true });
    symlinkSync('../../../dotfiles/wrap-up', join(place.folder, 'there/.claude/skills/wrap-up'));
    const { checks } = JSON.parse((await place.runIn('there', 'doctor', '--json')).stdout);
    expect(checks).toContainEqual(
      expect.objectContaining({
        name: 'skills',
        message: '0 skills. 1 diagnostic of their folders.',
        details: [expect.stringContaining('link-outside')],
        diagnostics: { error: 0, warning: 1, info: 0 },
      }),
    );
  });

  it('is a warning of serve and in the model’s answers, until it exists', async () => {
    place.write('there/tea/SKILL.md', skillFile('tea', 'Brew tea'));
    const { client, logged } = await serve(['--skills', 'there', '--skills', 'nowhere', '--index', 'index']);
    expect(await note(client)).toContain(`nowhere does not exist: ${join(place.folder, 'nowhere')}.`);
    expect(logged()).toContain('It is served once it exists.');
    place.write('nowhere/pot/SKILL.md', skillFile('pot', 'Warm the pot'));
    await expect.poll(() => note(client)).toBeUndefined();
    await expect.poll(() => found(client)).toEqual(['pot', 'tea']);
  });
});

async function serve(args: readonly string[], roots?: readonly string[], cwd = place.folder) {
  const transport = new StdioClientTransport({ ...place.server(...args), cwd, stderr: 'pipe' });
  let text = '';
  transport.stderr?.on('data', (chunk: Buffer) => {
    text += chunk.toString();
  });
  const capabilities = roots === undefined ? {} : { roots: { listChanged: true } };
  const client = await connected(transport, { mode: 'legacy', capabilities });
  const given = [...(roots ?? [])];
  if (roots !== undefined)
    client.setRequestHandler('roots/list', () => ({
      roots: given.map((folder) => ({ uri: pathToFileURL(join(place.folder, folder)).href })),
    }));
  return { client, given, logged: () => text };
}

interface Answer {
  readonly note?: string;
  readonly hits: readonly { readonly id: string }[];
}

const answer = async (client: Client) =>
  (await client.callTool({ name: 'search_skills', arguments: { query: '', top_k: 50 } }))
    .structuredContent as unknown as Answer;
const note = async (client: Client) => (await answer(client)).note;
const found = async (client: Client) => (await answer(client)).hits.map(({ id }) => id).sort();

describe('the folders that a client has open', () => {
  beforeEach(() => {
    for (const name of ['tea', 'pot', 'cup'])
      place.write(`${name}-project/.claude/skills/${name}/SKILL.md`, skillFile(name, `About the ${name}`));
    place.write('named/bowl/SKILL.md', skillFile('bowl', 'About the bowl'));
    mkdirSync(join(place.folder, 'cwd'));
  });
  const elsewhere = () => join(place.folder, 'cwd');

  it('are its projects, from the first call on', async () => {
    const { client } = await serve([], ['tea-project', 'pot-project'], elsewhere());
    expect(await found(client)).toEqual(['pot', 'tea']);
  });

  it('may change while it is connected', async () => {
    const { client, given } = await serve(
      ['--index', join(place.folder, 'index')],
      ['tea-project'],
      elsewhere(),
    );
    expect(await found(client)).toEqual(['tea']);
    given.splice(0, 1, 'cup-project');
    await client.sendRootsListChanged();
    await expect.poll(() => found(client)).toEqual(['cup']);
  });

  it('do not count where folders are named', async () => {
    const { client } = await serve(['--skills', join(place.folder, 'named')], ['tea-project'], elsewhere());
    expect(await found(client)).toEqual(['bowl']);
  });

  it('are not asked of a client that has none', async () => {
    const { client } = await serve([], undefined, join(place.folder, 'tea-project'));
    expect(await found(client)).toEqual(['tea']);
  });
});

describe('configuration', () => {
  it.each([
    ['git, plain HTTP', { kind: 'git', url: 'http://a.org/x.git' }, /http:/],
    ['a site at a private address', { kind: 'well-known', url: 'https://10.0.0.1' }, /private address/],
    [
      'an MCP server with a password in its URL',
      { kind: 'mcp', url: 'https://u:p@a.org/mcp' },
      /user or password/,
    ],
  ])('config check refuses what a refresh would refuse: %s', async (_, source, reason) => {
    place.write('skillgate.config.json', JSON.stringify({ sources: [{ name: 'x', ...source }] }, null, 2));
    const { code, stderr } = await place.run('config', 'check');
    expect(code).toBe(2);
    expect(stderr).toMatch(/skillgate\.config\.json:\d+:\d+: A refresh of x is refused\./);
    expect(stderr).toMatch(reason);
    expect((await place.run('sources', 'refresh', 'x')).code).toBe(1);
    const json = JSON.parse((await place.run('config', 'check', '--json')).stdout);
    expect(json).toMatchObject({ valid: false, problems: [{ line: expect.any(Number) }] });
  });

  it('a rule for everybody says that it applies to the operator’s commands', async () => {
    place.write('open/tea/SKILL.md', skillFile('tea', 'Brew tea'));
    place.write('closed/plan/SKILL.md', skillFile('plan', 'Plan the merger'));
    const configure = (who: string) =>
      place.write(
        'skillgate.config.json',
        JSON.stringify({
          sources: ['open', 'closed'].map((name) => ({ kind: 'local', name, root: name })),
          policy: { rules: [{ who: [who], allow: [{ sources: ['open'] }] }] },
        }),
      );
    configure('*');
    const { stdout, stderr } = await place.run('list');
    expect(stdout).not.toContain('plan');
    expect(stderr).toContain('Policy rule 1 is for all callers ("*"), so it also applies to these commands');
    expect((await place.run('context')).stderr).toContain('Policy rule 1');
    configure('ci');
    expect((await place.run('list')).stderr).not.toContain('Policy rule');
  });
});
