/** `skillgate forget`: forgets what search learned from use. Works whether learning is on or not. */

import { processEnvironment } from '../../../src/app/configured.ts';
import type { CommonOptions } from '../../../src/app/extension-api.ts';
import { readSettings } from '../../../src/app/settings.ts';
import { counted } from '../../../src/base/text.ts';
import { CliError } from '../../../src/cli/exit-codes.ts';
import { printReport, say } from '../../../src/cli/output.ts';
import { forget as forgetIn, storeOptions } from '../extension.ts';

interface ForgetOptions extends CommonOptions {
  readonly all?: boolean;
}

export async function forget(who: string | undefined, options: ForgetOptions): Promise<void> {
  if ((who !== undefined) === (options.all === true))
    throw new CliError(
      'USAGE',
      'Name a principal, or --all to forget everything; "local" is the user of this machine.',
    );
  const report = await forgetIn(
    storeOptions(await readSettings(options, processEnvironment()), say),
    who ?? null,
  );
  if (options.json === true) printReport(report);
  else say(`Forgot ${counted(report.forgotten, 'use')}; ${counted(report.left, 'use')} left.`);
}
