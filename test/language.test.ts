/** The language of the project: words that stay out of the tree, because a plainer one exists. */

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';

const root = resolve(import.meta.dirname, '..');

/** Words that this project replaces with plain ones. Spelt in pieces, so that this file passes its own check. */
const OLD_WORDS = [
  'men' + 'd(?:s|ed|ing)?',
  'who' + 'ever',
  'aff' + 'airs?',
  'thr' + 'ice',
  'be' + 'side',
  'save t' + 'hat',
  'up' + 'keep',
  'she' + 'lf',
  'stay' + 'Young',
  'Way' + 'Out',
  'Ar' + 'ena',
  'to' + 'ld',
  'Cr' + 'ew',
  'Stand' + 'ing',
];

const pattern = new RegExp(`(?<![\\w-])(?:${OLD_WORDS.join('|')})(?![\\w-])`, 'gi');

/** Written by others, or data. */
const FOREIGN =
  /^(examples\/skills|test\/(fixtures|golden)|bench\/datasets|models\/(static\/(?!README)|train\/queries)|LICENSE|package-lock\.json|bench\/peers)|\.(json|jsonl|tsv|onnx|svg|bin)$/;

const matches = (text: string) => text.match(pattern) ?? [];

it('keeps to plain words', () => {
  const files = execFileSync('git', ['ls-files'], { cwd: root, encoding: 'utf8' }).trim().split('\n');
  const found = files
    .filter((file) => !FOREIGN.test(file))
    .flatMap((file) => matches(readFileSync(join(root, file), 'utf8')).map((word) => `${file}: ${word}`));
  expect(found).toEqual([]);
});

it('finds a planted word, and leaves words alone that only contain one', () => {
  expect(matches(`It is men${'ded'}, who${'ever'} asks.`)).toHaveLength(2);
  expect(matches('recommended, amend, arrears, a sidebar')).toEqual([]);
});
