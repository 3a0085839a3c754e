/** Where the benchmark finds what ships with the repository. */

import { fileURLToPath } from 'node:url';

/** A path relative to this folder. */
export const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

export const SHIPPED_DATASET = here('datasets/examples');
/** Both are about the example skills. */
export const SHIPPED_DATASETS = [SHIPPED_DATASET, here('datasets/several')];
/** Requests that no skill of any catalog is for. */
export const FOREIGN = here('datasets/foreign');
export const EXAMPLE_SKILLS = here('../examples/skills');
export const MODELS = here('../models');
