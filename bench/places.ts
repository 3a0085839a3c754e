/** Where the benchmark finds what ships with the repository. */

import { fileURLToPath } from 'node:url';

/** A path relative to this folder. */
export const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

export const SHIPPED_DATASET = here('datasets/examples');
export const EXAMPLE_SKILLS = here('../examples/skills');
export const MODELS = here('../models');
