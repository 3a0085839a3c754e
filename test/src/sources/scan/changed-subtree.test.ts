import { symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { localSource } from '../../../../src/sources/local.ts';
import { type CatalogSnapshot, readCatalog } from '../../../../src/sources/scan/catalog.ts';
import { type IndexedSkills, readChangedSubtrees } from '../../../../src/sources/scan/changed-subtree.ts';
import { examples } from '../../../thorough.ts';
import { apply, edit } from './edits.ts';
import { add, plant, skillText, type Tree } from './tree.ts';

/** The catalog's skills, as if all were indexed. */
function knownOf({ folders }: CatalogSnapshot): IndexedSkills {
  return {
    sourceOf: (id) => folders.find((folder) => folder.id === id)?.source ?? null,
    below: (id) => folders.map((folder) => folder.id).filter((other) => other.startsWith(`${id}/`)),
  };
}

/** The catalog with the rescanned subtrees replaced. */
function patched(
  before: CatalogSnapshot,
  part: { folders: CatalogSnapshot['folders']; known: readonly string[] },
) {
  const gone = new Set(part.known);
  return [...before.folders.filter(({ id }) => !gone.has(id)), ...part.folders].sort((a, b) =>
    a.id < b.id ? -1 : 1,
  );
}

const sourceOf = (root: string, name = 's') => localSource({ name, root });

const TREE: Tree = {
  'tea/SKILL.md': skillText('tea'),
  'tea/references/pots.md': 'Pots.',
  'tea/nested/SKILL.md': skillText('nested'),
  'hot/coffee/SKILL.md': skillText('coffee'),
  'hot/cocoa/SKILL.md': skillText('cocoa'),
  'tea-time/SKILL.md': skillText('tea-time'),
};

async function setUp(tree: Tree = TREE) {
  const root = plant(tree);
  const sources = [sourceOf(root)];
  const before = await readCatalog(sources);
  return {
    root,
    before,
    look: (...paths: string[]) =>
      readChangedSubtrees(
        sources,
        paths.map((path) => join(root, path)),
        knownOf(before),
      ),
    whole: async () => (await readCatalog(sources)).folders,
  };
}

describe('readChangedSubtrees', () => {
  it('is empty if the changed files belong to no skill', async () => {
    const { root, look } = await setUp();
    add(root, { 'README.md': 'Read me.', 'hot/notes.md': 'Notes.' });
    expect(look('README.md', 'hot/notes.md')).toEqual({ folders: [], known: [], diagnostics: [] });
  });

  describe('needs a whole scan', () => {
    it('if the root is or becomes a skill', async () => {
      const { root, look } = await setUp();
      add(root, { 'SKILL.md': skillText('all') });
      expect(look('SKILL.md')).toBeNull();
      expect(look('tea/references/pots.md')).toBeNull();
    });

    it('if links connect folders', async () => {
      const { root, look } = await setUp();
      symlinkSync(join(root, 'hot'), join(root, 'tea-time/warm'));
      expect(look('tea-time/warm')).toBeNull();
      symlinkSync(join(root, 'hot'), join(root, 'warm'));
      expect(look('warm/coffee/SKILL.md')).toBeNull();
    });

    it('if a path is outside the sources, or in several', async () => {
      const { root, before } = await setUp();
      const both = [sourceOf(root), sourceOf(join(root, 'hot'), 'hot')];
      expect(readChangedSubtrees(both, [join(root, 'hot/coffee/SKILL.md')], knownOf(before))).toBeNull();
      expect(readChangedSubtrees(both, [join(dirname(root), 'elsewhere')], knownOf(before))).toBeNull();
    });

    it('if a skill appears or vanishes and ids depend on other sources', async () => {
      const first = plant(TREE);
      const sources = [sourceOf(first, 'a'), sourceOf(plant({ 'tea/SKILL.md': skillText('tea') }), 'b')];
      const before = await readCatalog(sources);
      const look = (path: string) => readChangedSubtrees(sources, [join(first, path)], knownOf(before));
      add(first, { 'tea/references/pots.md': 'More pots.' });
      expect(look('tea/references/pots.md')!.folders.map(({ id }) => id)).toEqual(['a:tea', 'tea/nested']);
      add(first, { 'hot/water/SKILL.md': skillText('water') });
      expect(look('hot/water/SKILL.md')).toBeNull();
      const qualified = await readCatalog(sources, undefined, true);
      const part = readChangedSubtrees(
        sources,
        [join(first, 'hot/water/SKILL.md')],
        knownOf(qualified),
        true,
      )!;
      expect(part.folders.map(({ id }) => id)).toEqual(['a:hot/water']);
    });

    it('if a subtree is as large as a catalog', async () => {
      const { root, look } = await setUp();
      add(root, Object.fromEntries(Array.from({ length: 600 }, (_, at) => [`much/n${at}`, null])));
      expect(look('much')).toBeNull();
    });
  });

  it('equals a whole scan after any edit', async () => {
    const edits = fc.tuple(fc.array(edit, { maxLength: 12 }), fc.array(edit, { minLength: 1, maxLength: 4 }));
    await fc.assert(
      fc.asyncProperty(edits, async ([first, later]) => {
        const root = plant({});
        for (const one of first) apply(root, one);
        const sources = [sourceOf(root)];
        const before = await readCatalog(sources);
        const paths = later.flatMap((one) => apply(root, one));
        const part = readChangedSubtrees(sources, paths, knownOf(before));
        if (part !== null) expect(patched(before, part)).toEqual((await readCatalog(sources)).folders);
      }),
      { numRuns: examples(100) },
    );
  });
});
