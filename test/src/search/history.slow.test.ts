/** Promise: what a search says depends on the skills that there are, not on those that were there before. */

import { cpSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { memoryDirectory } from '../../../index/directory/memory.ts';
import { openLibrary } from '../../../src/app/open-library.ts';
import { search } from '../../../src/search/search.ts';
import { temporaryFolder } from '../../temporary-folder.ts';

const EXAMPLES = join(import.meta.dirname, '../../../examples/skills');
const NAMES = readdirSync(EXAMPLES).sort();
const QUERIES = [
  'our mails land in the junk folder of our customers',
  'roll back a bad database migration',
  'write the changelog for the next release',
  'where did I leave my car keys',
  'chart',
];

/** A catalog whose skills change; `answers` updates its index first. */
async function changingCatalog() {
  const root = temporaryFolder();
  mkdirSync(join(root, 'skills'));
  const library = await openLibrary(
    {
      roots: [{ name: 's', root: join(root, 'skills'), optional: false, links: 'none' }],
      indexFolder: join(root, 'index'),
      cacheFolder: join(root, 'cache'),
      embedder: undefined,
      vectors: 'exact',
    },
    { log: () => {}, directory: memoryDirectory() },
  );
  const present = new Set<string>();
  return {
    async become(names: readonly string[]) {
      for (const name of present)
        if (!names.includes(name)) rmSync(join(root, 'skills', name), { recursive: true });
      for (const name of names)
        if (!present.has(name)) cpSync(join(EXAMPLES, name), join(root, 'skills', name), { recursive: true });
      present.clear();
      for (const name of names) present.add(name);
      await library.update();
    },
    answers: async () =>
      Promise.all(
        QUERIES.map(async (query) => {
          const { fit, hits } = await search({ query, limit: 5 }, await library.current());
          return { fit, hits: hits.map(({ entry, score }) => [entry.id, score]) };
        }),
      ),
    close: () => library.close(),
  };
}

it('the same skills are ranked and judged alike, whatever was added and removed before', async () => {
  const some = fc.uniqueArray(fc.constantFrom(...NAMES), { minLength: 4, maxLength: NAMES.length });
  await fc.assert(
    fc.asyncProperty(fc.array(some, { minLength: 2, maxLength: 5 }), async (history) => {
      const [changed, fresh] = [await changingCatalog(), await changingCatalog()];
      try {
        for (const names of history) await changed.become(names);
        await fresh.become(history.at(-1)!);
        const [expected, found] = [await fresh.answers(), await changed.answers()];
        found.forEach(({ fit, hits }, at) => {
          expect(Math.abs(fit! - expected[at]!.fit!)).toBeLessThan(0.001);
          expect(hits.map(([id]) => id)).toEqual(expected[at]!.hits.map(([id]) => id));
        });
      } finally {
        await changed.close();
        await fresh.close();
      }
    }),
    { numRuns: 8 },
  );
}, 180_000);
