/** What npm installs as `skillgate`: runs the program as it is built from `skillgate.ts`. CommonJS starts faster. */

import { runCompiled } from '../src/cli/compiled.ts';

declare const BUILD: string;

void runCompiled(__filename, BUILD);
