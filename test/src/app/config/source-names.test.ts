import { describe, expect, it } from 'vitest';
import { sourceSchema } from '../../../../src/app/config/schema.ts';
import { derivedName, nameSources } from '../../../../src/app/config/source-names.ts';

const PLACES = { home: '/home/me', cwd: '/project' };
const nameOf = (value: unknown) => derivedName(sourceSchema.parse(value), PLACES);

describe('derivedName', () => {
  it.each([
    ['/project/.claude/skills', 'claude'],
    ['/home/me/.claude/skills', 'claude-home'],
    ['/srv/Team Skills', 'team-skills'],
    ['/', 'skills'],
  ])('calls the folder %s %s', (root, name) => expect(nameOf({ kind: 'local', root })).toBe(name));

  it.each([
    ['https://github.com/acme/tools.git', 'tools'],
    ['https://github.com/acme/skills/', 'acme-skills'],
    ['git@github.com:acme/agent-skills.git', 'acme-agent-skills'],
    ['ssh://git@a.org:22/acme/x.git', 'x'],
    ['/srv/repos/team.git', 'team'],
    ['https://user:secret@a.org/skills.git', 'a-org-skills'],
  ])('calls the repository %s %s', (url, name) => expect(nameOf({ kind: 'git', url })).toBe(name));

  it.each([
    [{ command: 'npx', args: ['-y', '@acme/skills-server@1.2'] }, 'skills-server'],
    [{ command: 'node', args: ['dist/server.js'] }, 'server'],
    [{ command: '/usr/bin/acme-mcp' }, 'acme-mcp'],
    [{ command: 'docker', args: ['run', '-i', 'acme/mcp'] }, 'mcp'],
    [{ command: 'npx' }, 'npx'],
    [{ url: 'https://mcp.acme.org/mcp' }, 'mcp-acme-org'],
    [{ url: 'http://127.0.0.1:8080/mcp' }, '127-0-0-1-8080'],
  ])('calls the server %j %s', (how, name) => expect(nameOf({ kind: 'mcp', ...how })).toBe(name));

  it('calls archives by their file and sites by their host', () => {
    expect(nameOf({ kind: 'archive', path: '/a/Team_Skills.tar.gz' })).toBe('team-skills');
    expect(nameOf({ kind: 'well-known', url: 'https://skills.acme.org/x' })).toBe('skills-acme-org');
  });

  it('gives valid names for any location', () => {
    for (const root of ['/日本', `/${'x-'.repeat(80)}`, '/---'])
      expect(
        sourceSchema.safeParse({ kind: 'local', root, name: nameOf({ kind: 'local', root }) }).success,
      ).toBe(true);
  });
});

describe('nameSources', () => {
  const local = (root: string, name?: string, file = 'c.yaml') => ({
    source: sourceSchema.parse({ kind: 'local', root, ...(name === undefined ? {} : { name }) }),
    file,
    placeOf: () => ({ where: `${file}:1:1`, line: 1, column: 1 }),
  });
  const unnoted = { note: () => {} };

  it('uses the given name, else the derived one', () => {
    const named = nameSources([local('/a/b'), local('/a/b', 'mine')], PLACES, unnoted);
    expect(named.map(({ name }) => name)).toEqual(['b', 'mine']);
  });

  it('gives a source of a project another name where the user has a source of that name, with a note', () => {
    const sources = [local('/p/b', undefined, 'p.yaml'), local('/p/c', 'b-project', 'p.yaml'), local('/a/b')];
    const notes: string[] = [];
    const named = nameSources(sources, PLACES, {
      projectFile: 'p.yaml',
      note: (message) => notes.push(message),
    });
    expect(named.map(({ name }) => name)).toEqual(['b-project-2', 'b-project', 'b']);
    expect(notes).toEqual([
      "The project's source b is called b-project-2 here, because one of yours has that name.",
    ]);
  });

  it('rejects two sources with one name, with position and fix', () => {
    const both = [local('/a/b'), local('/c/b')];
    expect(() => nameSources(both, PLACES, unnoted)).toThrow(
      'c.yaml:1:1: Two sources are called b: sources[0] and sources[1]. Give one of them another name',
    );
  });
});
