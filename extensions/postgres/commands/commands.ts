/** The commands for a catalog that several gateways share. */

import type { Command } from 'commander';
import { common, wholeNumber } from '../../../src/cli/options.ts';

export function storeCommands(skillgate: Command): void {
  const store = skillgate
    .command('store')
    .description('the database through which several gateways share a catalog');
  const command = (usage: string, description: string) =>
    common(store.command(usage).description(description));
  command('init', 'create or update the tables; gateways may go on meanwhile')
    .option('--reader <role>', 'also give this role the rights of a reader')
    .option('--writer <role>', 'also give this role the rights of a writer')
    .action(async (options) => (await import('./store.ts')).init(options));
  command('status', 'print what the store holds, and who writes').action(async (options) =>
    (await import('./store.ts')).status(options),
  );
  command('copy-in', 'index the skills of this machine and publish them once').action(async (options) =>
    (await import('./store.ts')).copyInto(options),
  );
  command('copy-out <dir>', 'write the published index and the files of its skills into a new folder').action(
    async (dir, options) => (await import('./store.ts')).copyTo(dir, options),
  );
  command('policy', 'publish the policy of this configuration to all gateways').action(async (options) =>
    (await import('./store.ts')).policy(options),
  );
  command('audit', 'print the audit log of all gateways').action(async (options) =>
    (await import('./store.ts')).audit(options),
  );
  command('gc', 'remove what no gateway needs any more')
    .option('--keep <n>', 'generations to keep', wholeNumber, 3)
    .option('--grace <minutes>', 'keep what is newer than this', wholeNumber, 60)
    .action(async (options) => (await import('./store.ts')).gc(options));
}
