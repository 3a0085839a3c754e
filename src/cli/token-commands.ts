/** The commands about bearer tokens. They take no skills, so nothing of what the others take. */

import type { Command } from 'commander';
import { collect } from './options.ts';

export function tokenCommands(skillgate: Command): void {
  const token = skillgate.command('token').description('bearer tokens for serve --http');
  const command = (usage: string, description: string) =>
    token
      .command(usage)
      .description(description)
      .option('--file <file>', 'the token file (default: auth.tokens of the configuration)')
      .option(
        '--config <file>',
        'configuration (default: the nearest skillgate.config.json or .yaml upwards)',
      )
      .option('--json', 'print JSON');
  command('create <name>', 'make a token for whoever is called so; it is shown once')
    .option('--scope <scope>', 'what it is good for; repeat for several', collect)
    .option('--expires <time>', 'such as 90d or 12h, or never', '90d')
    .action(async (name, options) => (await import('./commands/token.ts')).create(name, options));
  command('list', 'list the tokens, without what would let anybody in').action(async (options) =>
    (await import('./commands/token.ts')).list(options),
  );
  command('revoke <name>', 'take a token back').action(async (name, options) =>
    (await import('./commands/token.ts')).revoke(name, options),
  );
}
