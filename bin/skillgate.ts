/** The program: the command line with all extensions. `start.ts` runs it. */

import { EXTENSIONS } from '../extensions/extensions.ts';
import { runCommandLine } from '../src/cli/main.ts';

export const run = (): Promise<void> => runCommandLine(EXTENSIONS);
