/** What npm installs as `skillgate`: runs the program as it is built from `skillgate.ts`. */

import { runCompiled } from '../src/cli/compiled.ts';

declare const BUILD: string;

await runCompiled(import.meta.url, BUILD);
