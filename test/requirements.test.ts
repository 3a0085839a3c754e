/** Every requirement is cited by a test, and every citation names a requirement. */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { REQUIREMENTS } from './requirements.ts';

const prefixes = new Set(Object.keys(REQUIREMENTS).map((id) => id.slice(0, id.indexOf('/'))));

/** Ids in square brackets at the end of test names. */
function citedIn(text: string): string[] {
  const pattern = new RegExp(`\\[((?:${[...prefixes].join('|')})/[a-z-]+)\\]['\`]`, 'g');
  return [...text.matchAll(pattern)].map(([, id]) => id ?? '');
}

const cited = new Set(
  readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.test.ts') && path !== 'requirements.test.ts')
    .flatMap((path) => citedIn(readFileSync(join(import.meta.dirname, path), 'utf8'))),
);

describe('the requirements', () => {
  it.each(Object.keys(REQUIREMENTS))('%s is cited by a test', (id) => {
    expect(cited).toContain(id);
  });

  it('include every id that tests cite', () => {
    expect([...cited].filter((id) => !Object.hasOwn(REQUIREMENTS, id))).toEqual([]);
  });

  it('state a behaviour and its source', () => {
    for (const { behaviour, source } of Object.values(REQUIREMENTS)) {
      expect(behaviour).toMatch(/^\S.*\.$/);
      expect(source).not.toBe('');
    }
  });

  it('are cited at the end of a name; a mention elsewhere does not count', () => {
    const names = "it('does it [drafts/list]', () => {}); // [draft-b/get] \n it(`x [drafts/nothing]`)";
    expect(citedIn(names)).toEqual(['drafts/list', 'drafts/nothing']);
  });
});
