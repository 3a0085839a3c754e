/** Takes documentation pages apart: their code blocks, and the commands that readers type. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { globSync } from 'tinyglobby';
import { root } from './command.ts';

/** Pages whose commands and settings the tests try. */
export const PAGES: readonly string[] = [
  'README.md',
  'CONTRIBUTING.md',
  ...globSync('docs/*.md', { cwd: root }).sort(),
  'examples/README.md',
  'examples/deploy/README.md',
  'models/train/README.md',
];

export const page = (path: string) => readFileSync(join(root, path), 'utf8');

/** The contents of the page's code blocks in that language. */
export const blocks = (path: string, language: string): readonly string[] =>
  Array.from(page(path).matchAll(/^```(\w+)\n(.*?)^```$/gms))
    .filter(([, name]) => name === language)
    .map(([, , text = '']) => text);

/** The commands of the page's sh blocks, in order, without comments; `a && b` is two. */
export const commandsOf = (path: string): readonly string[] =>
  blocks(path, 'sh').flatMap((text) =>
    text
      .replace(/\\\n\s*/g, '')
      .split('\n')
      .flatMap((line) => line.replace(/\s#.*$/, '').split('&&'))
      .map((command) => command.trim())
      .filter((command) => command !== ''),
  );

/** The words of a command; quotes hold one together. */
export const wordsOf = (command: string): readonly string[] =>
  Array.from(
    command.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g),
    ([word, double, single]) => double ?? single ?? word,
  );
