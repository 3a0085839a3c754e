import { expect, it } from 'vitest';
import { absoluteSource } from '../../../../src/app/config/files.ts';
import { githubShorthand } from '../../../../src/app/config/github-shorthand.ts';
import { readConfig } from './read-config.ts';

const GITHUB = 'https://github.com/acme/skills';

it.each([
  ['acme/skills', { url: GITHUB }],
  ['acme/skills.git', { url: GITHUB }],
  ['acme/skills#v2', { url: GITHUB, ref: 'v2' }],
  ['acme/skills#v2/team/skills', { url: GITHUB, ref: 'v2', folder: 'team/skills' }],
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
