/** The machine that hosts run on, from what the process knows. */

import type { ProcessEnvironment } from '../app/settings.ts';
import { projectFolders } from '../sources/scan/roots.ts';
import { platformOf, type System } from './locations.ts';

export const systemOf = ({ home, cwd, env }: ProcessEnvironment): System => ({
  platform: platformOf(process.platform),
  home,
  project: projectFolders({ home, cwd }).at(-1) ?? cwd,
  env,
});
