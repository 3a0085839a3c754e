/** `skillgate forget`: forgets what search learned from use. Works whether learning is on or not. */

import { type CommonOptions, processEnvironment } from '../../../src/app/configured.ts';
import { settingsOf } from '../../../src/app/settings.ts';
import { CliError } from '../../../src/cli/exit-codes.ts';
import { printReport, say } from '../../../src/cli/output.ts';
import { counted } from '../../../src/mcp/text.ts';
import { forget as forgetIn, storeOf } from '../extension.ts';

interface ForgetOptions extends CommonOptions {
  readonly all?: boolean;
}

export async function forget(who: string | undefined, options: ForgetOptions): Promise<void> {
  if ((who !== undefined) === (options.all === true))
    throw new CliError(
      'USAGE',
      'Name a principal, or --all to forget everything; "local" is the user of this machine.',
    );
  const report = await forgetIn(storeOf(await settingsOf(options, processEnvironment()), say), who ?? null);
  if (options.json === true) printReport(report);
  else say(`Forgot ${counted(report.forgotten, 'use')}; ${counted(report.left, 'use')} left.`);
}
