/**
 * Grows catalogs of any size from a real one: first its skills in random order, then rounds of perturbed copies of them
 * (`perturb.ts`). A catalog consists of the folders of all smaller sizes and one more, so a series takes the space of its
 * largest catalog. Holds one skill in memory at a time.
 */

import { constants, copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { localSource } from '../../src/sources/local.ts';
import { seeded, shuffled } from '../evaluation/statistics.ts';
import { perturbed } from './perturb.ts';
import { hash32, substituteWords, type Vocabulary, vocabularyOf } from './vocabulary.ts';

/** Increase it whenever the same options give other files. */
const VERSION = 2;
/** The vocabulary of the copies comes from this many skills: some 20 MB of text. */
const VOCABULARY_SKILLS = 3_000;

interface GrowOptions {
  /** Folders of the original skills. */
  readonly skills: readonly string[];
  /** Folder for the catalogs. Catalogs that an earlier run finished with the same options are used again. */
  readonly into: string;
  readonly sizes: readonly number[];
  readonly seed: number;
  readonly onProgress?: (done: number, total: number) => void;
}

/** One folder of a series. `size` counts the skills of this folder and of all folders before it. */
interface CatalogFolder {
  readonly folder: string;
  readonly size: number;
}

type Original = Awaited<ReturnType<ReturnType<typeof localSource>['scan']>>['folders'][number];

/** Makes the folders, smallest size first. Deterministic in skills, sizes and seed. Throws if there are no skills. */
export async function grow(options: GrowOptions): Promise<CatalogFolder[]> {
  const { into, seed, onProgress } = options;
  const sizes = [...new Set(options.sizes)].sort((a, b) => a - b);
  const catalogs = sizes.map((size) => ({
    size,
    folder: join(into, `up-to-${String(size).padStart(7, '0')}`),
  }));
  const recipe = JSON.stringify({ version: VERSION, seed, sizes, skills: options.skills });
  if (isFinished(into, recipe)) return catalogs;
  const originals = await originalsOf(options.skills);
  if (originals.length === 0) throw new Error(`Found no skills in ${options.skills.join(', ')}.`);
  rmSync(into, { recursive: true, force: true });
  const order = shuffled(originals, seeded(seed));
  const total = sizes.at(-1) ?? 0;
  const vocabulary = vocabularyOf(total > order.length ? skillTexts(order.slice(0, VOCABULARY_SKILLS)) : []);
  let done = 0;
  for (const { folder, size } of catalogs)
    for (; done < size; done += 1) {
      const original = order[done % order.length]!;
      const round = Math.floor(done / order.length);
      const base = original.id.slice(original.id.lastIndexOf('/') + 1).toLowerCase();
      if (round === 0) copy(original, join(folder, nameOf(base, done)));
      else {
        const words = hash32(seed, done);
        rewrite(
          original,
          join(folder, nameOf(substituteWords(base, vocabulary, words), done)),
          vocabulary,
          words,
        );
      }
      if (done % 100 === 0) onProgress?.(done, total);
    }
  writeFileSync(join(into, RECIPE_FILE), recipe);
  onProgress?.(total, total);
  return catalogs;
}

const RECIPE_FILE = 'grown.json';

function isFinished(into: string, recipe: string): boolean {
  const file = join(into, RECIPE_FILE);
  return existsSync(file) && readFileSync(file, 'utf8') === recipe;
}

async function originalsOf(folders: readonly string[]): Promise<readonly Original[]> {
  const scans = await Promise.all(
    folders.map((root, at) => localSource({ name: `skills-${at + 1}`, root }).scan()),
  );
  return scans.flatMap(({ folders: found }) => found);
}

function* skillTexts(originals: readonly Original[]): Generator<string> {
  for (const { folder, file } of originals) yield readFileSync(join(folder, file), 'utf8');
}

/** A unique name within the length limit of the specification. */
function nameOf(base: string, number: number): string {
  const plain = base.replace(/[^a-z0-9]+/g, '-').replace(/^-|-$/g, '');
  return `${plain.slice(0, 48).replace(/-$/, '') || 'skill'}-${number.toString(36)}`;
}

function copy({ folder, files }: Original, to: string): void {
  for (const { path } of files) {
    mkdirSync(dirname(join(to, path)), { recursive: true });
    copyFileSync(join(folder, path), join(to, path), constants.COPYFILE_FICLONE);
  }
}

function rewrite({ folder, files }: Original, to: string, vocabulary: Vocabulary, seed: number): void {
  const name = to.slice(to.lastIndexOf('/') + 1);
  for (const { path, kind } of files) {
    mkdirSync(dirname(join(to, path)), { recursive: true });
    if (kind === 'skill' || kind === 'reference')
      writeFileSync(
        join(to, path),
        perturbed(readFileSync(join(folder, path), 'utf8'), { vocabulary, seed, name }),
      );
    else copyFileSync(join(folder, path), join(to, path), constants.COPYFILE_FICLONE);
  }
}
