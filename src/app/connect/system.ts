/** The machine that hosts run on, from what the process knows. */

import type { ProcessEnvironment } from '../settings.ts';
import { platformOf, type System } from './locations.ts';

export const systemOf = ({ home, cwd, env }: ProcessEnvironment): System => ({
  platform: platformOf(process.platform),
  home,
  project: cwd,
  env,
});
