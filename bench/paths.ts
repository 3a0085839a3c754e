/** Paths of what ships with the repository, and temporary folders. */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The absolute path of `path`, which is relative to this folder. */
export const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

export const SHIPPED_DATASET = here('datasets/examples');
/** Both ask about the example skills. */
export const SHIPPED_DATASETS = [SHIPPED_DATASET, here('datasets/several')];
/** Requests that no skill of any catalog answers. */
export const FOREIGN = here('datasets/foreign');
export const LANGUAGES = here('datasets/languages');
export const NEAR_MISSES = here('datasets/near-misses');
export const VERDICT = here('datasets/verdict');
export const EXAMPLE_SKILLS = here('../examples/skills');
export const MODELS = here('../models');

/** Runs `use` with a new temporary folder below `parent`, and removes the folder. */
export async function withScratchFolder<T>(
  use: (folder: string) => Promise<T>,
  parent: string = tmpdir(),
): Promise<T> {
  const folder = await mkdtemp(join(resolve(parent), 'skillgate-bench-'));
  try {
    return await use(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
