/** One catalog of the dialect skills for all tests that only read it. */

import { DIALECT_SKILLS, realCatalog } from './real-catalog.ts';

export const DIALECTS = await realCatalog(DIALECT_SKILLS);
