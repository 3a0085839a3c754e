import { expect, it } from 'vitest';
import { absoluteSource } from '../../../../src/app/config/files.ts';
import { gitAddress, githubShorthand } from '../../../../src/app/config/git-address.ts';
import { readConfig } from './read-config.ts';

const GITHUB = 'https://github.com/acme/skills';

it.each([
  ['acme/skills', { url: GITHUB }],
  ['acme/skills.git', { url: GITHUB }],
  ['acme/skills#v2', { url: GITHUB, ref: 'v2' }],
  [
    'acme/skills#v2/team/skills',
    { url: GITHUB, ref: 'v2', folder: 'team/skills', refPath: 'v2/team/skills' },
  ],
  ['acme/skills/team', { url: GITHUB, folder: 'team' }],
  ['acme/skills.js', { url: 'https://github.com/acme/skills.js' }],
])('%s is a repository on GitHub', (text, location) => expect(githubShorthand(text)).toEqual(location));

it.each([
  'acme',
  './acme/skills',
  '/acme/skills',
  'a.b/c',
  'acme/..',
  'acme/skills/../x',
  'git@a.org:acme/x',
  'acme/',
  'https://a.org/x',
])('%s is not', (text) => expect(githubShorthand(text)).toBeNull());

it.each([
  [`${GITHUB}/tree/main`, GITHUB, 'main'],
  [`${GITHUB}/tree/feature/new-ui/skills/`, GITHUB, 'feature/new-ui/skills'],
  [`${GITHUB}/tree/feature%2Fnew-ui/my%20skills?tab=readme#top`, GITHUB, 'feature/new-ui/my skills'],
  [`${GITHUB}/blob/main/skills/a/SKILL.md`, GITHUB, 'main/skills/a'],
  [`${GITHUB}/blob/main/SKILL.md`, GITHUB, 'main'],
  ['https://raw.githubusercontent.com/acme/skills/main/a/SKILL.md', GITHUB, 'main/a'],
  ['https://raw.githubusercontent.com/acme/skills/refs/heads/main/a/SKILL.md', GITHUB, 'main/a'],
  ['https://gitlab.com/acme/group/x/-/tree/main/skills', 'https://gitlab.com/acme/group/x', 'main/skills'],
  ['https://git.acme.org/team/x/-/blob/main/a/SKILL.md', 'https://git.acme.org/team/x', 'main/a'],
  ['https://bitbucket.org/acme/x/src/main/skills/', 'https://bitbucket.org/acme/x', 'main/skills'],
  ['https://codeberg.org/acme/x/src/branch/main/skills', 'https://codeberg.org/acme/x', 'main/skills'],
  ['https://git.sr.ht/~acme/x/tree/main/item/skills', 'https://git.sr.ht/~acme/x', 'main/skills'],
  ['https://github.com/acme/x.git#v2', 'https://github.com/acme/x.git', 'v2'],
  ['git@a.org:acme/x.git#v2', 'git@a.org:acme/x.git', 'v2'],
  ['acme/skills#feature/new-ui', GITHUB, 'feature/new-ui'],
])('%s is a page of a repository', (address, url, path) => {
  const [ref] = path.split('/');
  expect(gitAddress(address)).toMatchObject({ url, ref });
  const { folder, refPath = ref } = gitAddress(address) ?? {};
  expect([refPath, folder ?? '']).toEqual([path, path.split('/').slice(1).join('/')]);
});

it.each([
  'https://github.com/acme/skills',
  'https://skills.a.org',
  'https://a.org/x/tree/main',
  `${GITHUB}/tree/main/../x`,
  '/srv/x.git',
])('%s is no page of one', (text) => expect(gitAddress(text)).toBeNull());

it('is understood by the configuration; what the entry says itself counts', () => {
  const text = `sources:
  - { kind: git, url: 'acme/skills#v2/team' }
  - { kind: git, name: own, url: 'acme/skills#v2', ref: main }
  - { kind: git, name: path, url: ./acme/skills }
`;
  const { config } = readConfig(text, '/p/skillgate.config.yaml');
  expect(config.sources.map((source) => absoluteSource(source, '/p', '/h'))).toMatchObject([
    { url: GITHUB, ref: 'v2', folder: 'team' },
    { url: GITHUB, ref: 'main' },
    { url: '/p/acme/skills' },
  ]);
});
