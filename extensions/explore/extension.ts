/** The page about the catalog: for the person at this machine (`commands/`), and for callers of an HTTP server. */

import type { Extension } from '../../src/app/extension-api.ts';
import { pageFor } from './open.ts';

export const extension: Extension = { page: pageFor };
