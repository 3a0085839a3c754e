/** One configuration file, as text. */

import { checkLayer, readLayer } from '../../../../src/app/config/layers.ts';
import type { Override } from '../../../../src/app/config/overrides.ts';

export const HERE = { cwd: '/here', home: '/home/me' };

export const readConfig = (text: string, file: string, overrides: readonly Override[] = []) =>
  checkLayer(readLayer({ file, text }), overrides);
