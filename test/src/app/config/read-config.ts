/** One configuration file, as text. */

import { checkConfig } from '../../../../src/app/config/check.ts';
import { readLayer } from '../../../../src/app/config/layers.ts';
import type { Override } from '../../../../src/app/config/overrides.ts';

export const HERE = { cwd: '/here', home: '/home/me' };

export function readConfig(text: string, file: string, overrides: readonly Override[] = []) {
  const layer = readLayer({ file, text });
  return { config: checkConfig(layer.value, overrides, layer), placeOf: layer.valueAt };
}
