/** `skillgate doctor`: checks what skillgate needs on this machine, and says how to fix problems. */

import { processEnvironment } from '../../../src/app/configured.ts';
import type { Check, CommonOptions } from '../../../src/app/extension-api.ts';
import { EXIT } from '../../../src/cli/exit-codes.ts';
import { colours, print, printJson, say } from '../../../src/cli/output.ts';
import { trustedSettings } from '../../../src/cli/trusting.ts';
import { examine } from '../examine.ts';

const SIGNS: Record<Check['state'], string> = { ok: '✓', note: '·', problem: '✗' };

/** Exits with 1 where something that is configured will not work. Notes do not change the exit code. */
export async function doctor(options: CommonOptions): Promise<void> {
  const environment = processEnvironment();
  const checks = await examine(await trustedSettings(options, environment), environment, say);
  const problems = checks.filter(({ state }) => state === 'problem').length;
  if (options.json === true) printJson({ ok: problems === 0, checks });
  else {
    for (const check of checks) show(check);
    print(problems === 0 ? 'No problems.' : `${problems} of ${checks.length} checks failed.`);
  }
  if (problems > 0) process.exitCode = EXIT.failed;
}

function show({ name, state, message, details = [] }: Check): void {
  const colour = { ok: colours.green, note: colours.yellow, problem: colours.red }[state];
  print(`${colour(SIGNS[state])} ${name}: ${message}`);
  for (const detail of details) print(colours.dim(`    ${detail}`));
}
