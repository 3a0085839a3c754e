/** Promise: one file lists the sources of skills; errors in it are reported by line; commands edit it. */

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { repository } from '../extensions/remote-sources/git/repository.ts';
import { freshWorkplace, skillFile } from './command.ts';

const place = freshWorkplace();
const json = (text: string) => JSON.parse(text);
const read = (path: string) => readFileSync(join(place.folder, path), 'utf8');

describe('a configuration file', () => {
  it('is found from folders below, and its paths are its own', async () => {
    place.write('skillgate.config.yaml', 'sources:\n  - kind: local\n    root: ./ours\n');
    place.write('ours/brew/SKILL.md', skillFile('brew', 'Brews tea.'));
    place.write('deep/down/x', '');
    const { code, stdout } = await place.runIn('deep/down', 'list');
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'brew  Brews tea.\n' });
    const { stdout: path } = await place.runIn('deep/down', 'config', 'path');
    expect(path.trim().endsWith('/skillgate.config.yaml')).toBe(true);
  });

  it('is rejected by every command, with file, line, column and the allowed values', async () => {
    place.write('skillgate.config.yaml', 'sources:\n  - kind: local\n    rooot: ./ours\n');
    for (const command of [['list'], ['serve'], ['config', 'check'], ['sources', 'list']]) {
      const { code, stdout, stderr } = await place.run(...command);
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
      expect(stderr).toContain(
        'skillgate.config.yaml:3:5: There is no setting "rooot" in sources[0]. Did you mean "root"?',
      );
    }
    const { code, stdout } = await place.run('config', 'check', '--json');
    expect(code).toBe(2);
    expect(json(stdout)).toMatchObject({
      valid: false,
      problems: [
        { line: 2, column: 5 },
        { line: 3, column: 5 },
      ],
    });
  });

  it('names variables for secrets; a missing one is reported by line, and no secret is printed', async () => {
    const secret = 'hunter2-hunter2';
    place.write(
      'skillgate.config.yaml',
      'sources:\n  - kind: well-known\n    name: site\n    url: https://skills.invalid\n    headers:\n      Authorization: Bearer $' +
        '{SITE_TOKEN}\n',
    );
    const missing = await place.run('config', 'check');
    expect(missing.code).toBe(2);
    expect(missing.stderr).toContain(
      'skillgate.config.yaml:6:22: The environment variable SITE_TOKEN is not set',
    );
    for (const command of [
      ['config', 'check'],
      ['config', 'check', '--json'],
      ['sources', 'list'],
      ['sources', 'status'],
      ['sources', 'refresh'],
    ]) {
      const { code, stdout, stderr } = await place.runWith({ SITE_TOKEN: secret }, ...command);
      expect(code).toBe(command.includes('refresh') ? 1 : 0);
      expect(stdout + stderr).toContain('site');
      expect(stdout + stderr).not.toContain(secret);
    }
    const cached = readdirSync(join(place.folder, 'cache'), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'));
    expect(cached.join('')).not.toContain(secret);
  });

  it('is the only one in its folder: two are rejected', async () => {
    place.write('skillgate.config.json', '{}');
    place.write('skillgate.config.yaml', '');
    const { code, stderr } = await place.run('list');
    expect(code).toBe(2);
    expect(stderr).toContain(
      'holds skillgate.config.json and skillgate.config.yaml, and only one can be used',
    );
    expect((await place.run('config', 'check', '--config', 'skillgate.config.json')).code).toBe(0);
    expect((await place.run('list', '--config', 'nowhere.json')).stderr).toContain(
      'nowhere.json does not exist',
    );
  });
});

describe('skillgate sources', () => {
  it('add creates the file and keeps the default folders; list, search and remove work', async () => {
    place.write('.claude/skills/brew/SKILL.md', skillFile('brew', 'Brews tea.'));
    place.write('more/pour/SKILL.md', skillFile('pour', 'Pours tea into cups.'));
    const { code, stdout, stderr } = await place.run('sources', 'add', 'more', '--name', 'extra');
    expect({ code, stdout }).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^Added extra \(local\) to .*: 1 skill\.\n$/),
    });
    expect(stderr).toContain('./.claude/skills was a default folder');
    expect(json(read('skillgate.config.json')).sources).toEqual([
      { kind: 'local', name: 'claude', root: './.claude/skills' },
      { kind: 'local', name: 'extra', root: './more' },
    ]);
    expect((await place.run('list')).stdout).toContain('pour');
    expect((await place.run('sources', 'remove', 'extra')).code).toBe(0);
    expect((await place.run('list')).stdout).toBe('brew  Brews tea.\n');
    const unknown = await place.run('sources', 'remove', 'extr');
    expect(unknown).toMatchObject({ code: 3, stderr: expect.stringContaining('There is no source "extr".') });
  });

  it('follows a git repository, keeps its copy while the repository is away, and reports its age', async () => {
    const team = repository({ root: place.folder });
    const brew = { 'brew/SKILL.md': skillFile('brew', 'Brews tea.') };
    const first = team.commit(brew);
    const added = await place.run('sources', 'add', team.path, '--json');
    expect(json(added.stdout)).toMatchObject({ name: 'team', kind: 'git', resolved: first, skills: 1 });
    expect((await place.run('search', 'tea')).stdout).toContain('brew');

    const second = team.commit({ ...brew, 'pour/SKILL.md': skillFile('pour', 'Pours tea into cups.') });
    const refreshed = await place.run('sources', 'refresh', 'team', '--json');
    expect(json(refreshed.stdout).sources).toMatchObject([
      { name: 'team', changed: true, resolved: second, skills: 2 },
    ]);
    expect(json(read('skillgate.lock.json')).sources.team).toEqual({
      kind: 'git',
      origin: './team.git',
      resolved: second,
    });

    team.down();
    const failed = await place.run('sources', 'refresh');
    expect(failed).toMatchObject({ code: 1, stdout: expect.stringContaining('failed') });
    const { code, stdout, stderr } = await place.run('search', 'pour tea');
    expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringContaining('pour') });
    expect(
      stderr.match(/The source team could not be refreshed and shows its state of \d+ \w+ ago/g),
    ).toHaveLength(1);
    const status = json((await place.run('sources', 'status', '--json')).stdout);
    expect(status.sources).toMatchObject([
      { kind: 'git', resolved: second, stale: true, failure: expect.any(String), skills: 2 },
    ]);
  });

  it('writes nothing for a source that cannot be fetched, except with --no-fetch', async () => {
    const nowhere = `file://${join(place.folder, 'nowhere.git')}`;
    const { code, stderr } = await place.run('sources', 'add', nowhere);
    expect(code).toBe(1);
    expect(stderr).toContain('nothing was written');
    expect(existsSync(join(place.folder, 'skillgate.config.json'))).toBe(false);
    expect((await place.run('sources', 'add', nowhere, '--no-fetch')).code).toBe(0);
    expect(json(read('skillgate.config.json')).sources).toEqual([{ kind: 'git', url: nowhere }]);
  });

  it('refuses to write a secret into the file', async () => {
    const { code, stderr } = await place.run(
      'sources',
      'add',
      'https://a.invalid',
      '--header',
      'Authorization: Bearer hunter2',
      '--no-fetch',
    );
    expect(code).toBe(2);
    expect(stderr).toContain('looks like a secret');
    expect(stderr).not.toContain('hunter2');
    expect(existsSync(join(place.folder, 'skillgate.config.json'))).toBe(false);
  });
});
