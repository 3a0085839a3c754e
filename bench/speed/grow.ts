/**
 * Catalogs of any size out of a real one: first its own skills in random order, then perturbed copies of them
 * (`perturb.ts`), as many rounds as it takes. Each size is the sizes below it and one folder more, so a series of
 * catalogs takes the space of the largest. One skill is in memory at a time.
 */

import { constants, copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { seeded, shuffled } from '../../src/evaluation/public.ts';
import { localSource } from '../../src/public.ts';
import { perturbed } from './perturb.ts';
import { inOtherWords, mixed, type Vocabulary, vocabularyOf } from './vocabulary.ts';

/** Raised where the same options would give other files. */
const VERSION = 2;
/** Skills whose words make the vocabulary of the copies: some 20 MB of text. */
const VOCABULARY_SKILLS = 3_000;

export interface GrowOptions {
  /** Folders with the skills to begin with. */
  readonly skills: readonly string[];
  /** Where the catalogs go; one that was finished with the same options is used again. */
  readonly into: string;
  readonly sizes: readonly number[];
  readonly seed: number;
  readonly onProgress?: (done: number, total: number) => void;
}

/** A folder of a series, and how many skills there are with it and those before it. */
export interface Part {
  readonly folder: string;
  readonly size: number;
}

type Original = Awaited<ReturnType<ReturnType<typeof localSource>['scan']>>['folders'][number];

/** Makes the folders, smallest size first. Deterministic in skills, sizes and seed. Throws without any skill. */
export async function grow(options: GrowOptions): Promise<Part[]> {
  const { into, seed, onProgress } = options;
  const sizes = [...new Set(options.sizes)].sort((a, b) => a - b);
  const parts = sizes.map((size) => ({ size, folder: join(into, `up-to-${String(size).padStart(7, '0')}`) }));
  const recipe = JSON.stringify({ version: VERSION, seed, sizes, skills: options.skills });
  if (isFinished(into, recipe)) return parts;
  const originals = await originalsOf(options.skills);
  if (originals.length === 0) throw new Error(`There are no skills in ${options.skills.join(', ')}.`);
  rmSync(into, { recursive: true, force: true });
  const order = shuffled(originals, seeded(seed));
  const total = sizes.at(-1) ?? 0;
  const vocabulary = vocabularyOf(total > order.length ? skillTexts(order.slice(0, VOCABULARY_SKILLS)) : []);
  let done = 0;
  for (const { folder, size } of parts)
    for (; done < size; done += 1) {
      const original = order[done % order.length]!;
      const round = Math.floor(done / order.length);
      const base = original.id.slice(original.id.lastIndexOf('/') + 1).toLowerCase();
      if (round === 0) copy(original, join(folder, nameOf(base, done)));
      else {
        const words = mixed(seed, done);
        rewrite(
          original,
          join(folder, nameOf(inOtherWords(base, vocabulary, words), done)),
          vocabulary,
          words,
        );
      }
      if (done % 100 === 0) onProgress?.(done, total);
    }
  writeFileSync(join(into, RECIPE_FILE), recipe);
  onProgress?.(total, total);
  return parts;
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

/** Unique, and no longer than the specification allows a name to be. */
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
