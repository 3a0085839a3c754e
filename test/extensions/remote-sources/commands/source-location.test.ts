import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { entryFor, type Kind } from '../../../../extensions/remote-sources/commands/source-location.ts';
import { plant } from '../../../src/sources/scan/tree.ts';

const root = plantOnce();
function plantOnce() {
  let made: string | null = null;
  return () => {
    made = plant({
      'project/skills/a/SKILL.md': 'x',
      'project/deep': null,
      'project/pack.zip': 'x',
      'project/notes.txt': 'x',
      'elsewhere/team.git/HEAD': 'x',
      'elsewhere/team.git/objects': null,
      'elsewhere/team.git/refs': null,
      'home/skills': null,
    });
    return made;
  };
}

function entry(place: string, kind?: Kind) {
  const tree = root();
  const around = { cwd: join(tree, 'project', 'deep'), home: join(tree, 'home') };
  const own = (text: unknown) => (typeof text === 'string' ? text.replace(tree, '') : text);
  const found = entryFor(place, kind, join(tree, 'project'), around);
  return Object.fromEntries(Object.entries(found).map(([name, value]) => [name, own(value)]));
}

describe('entryFor', () => {
  it.each([
    ['https://a.org/x.git', { kind: 'git', url: 'https://a.org/x.git' }],
    ['https://github.com/acme/skills', { kind: 'git', url: 'https://github.com/acme/skills' }],
    [
      'https://github.com/acme/skills/tree/v2/team/skills',
      { kind: 'git', url: 'https://github.com/acme/skills', ref: 'v2', folder: 'team/skills' },
    ],
    [
      'https://github.com/acme/skills/tree/main',
      { kind: 'git', url: 'https://github.com/acme/skills', ref: 'main' },
    ],
    ['git@a.org:acme/x.git', { kind: 'git', url: 'git@a.org:acme/x.git' }],
    ['ssh://git@a.org/x', { kind: 'git', url: 'ssh://git@a.org/x' }],
    ['file:///srv/x.git', { kind: 'git', url: 'file:///srv/x.git' }],
    ['../../elsewhere/team.git', { kind: 'git', url: '/elsewhere/team.git' }],
    ['https://skills.a.org', { kind: 'well-known', url: 'https://skills.a.org' }],
    ['../skills', { kind: 'local', root: './skills' }],
    ['..', { kind: 'local', root: '.' }],
    [
      'acme/skills#v2/team',
      { kind: 'git', url: 'https://github.com/acme/skills', ref: 'v2', folder: 'team' },
    ],
    ['~/skills', { kind: 'local', root: '/home/skills' }],
    ['../pack.zip', { kind: 'archive', path: './pack.zip' }],
  ])('takes %s for %j', (place, expected) => expect(entry(place)).toEqual(expected));

  it('uses the given kind', () => {
    expect(entry('https://a.org/mcp', 'mcp')).toEqual({ kind: 'mcp', url: 'https://a.org/mcp' });
    expect(entry('https://github.com/acme/skills', 'well-known')).toMatchObject({ kind: 'well-known' });
  });

  it('lists what can be added where no kind fits', () => {
    expect(() => entry('../nowhere')).toThrow(
      '../nowhere is neither an existing folder or archive nor a URL.',
    );
    expect(() => entry('../notes.txt')).toThrow('Name its folder instead.');
  });
});
