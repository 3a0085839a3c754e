/** The commands for bearer tokens. They need no skills, so they share no options with the other commands. */

import type { Command } from 'commander';
import { collect } from './options.ts';

export function tokenCommands(skillgate: Command): void {
  const token = skillgate.command('token').description('manage bearer tokens for serve --http');
  const command = (usage: string, description: string) =>
    token
      .command(usage)
      .description(description)
      .option('--file <file>', 'the token file (default: auth.tokens of the configuration)')
      .option(
        '--config <file>',
        'configuration (default: the nearest skillgate.config.json or .yaml here or above)',
      )
      .option('--json', 'print JSON');
  command('create <name>', 'create a token with this name and print it once')
    .option('--scope <scope>', 'a scope of the token; repeat for several', collect)
    .option('--expires <time>', 'lifetime such as 90d or 12h, or never', '90d')
    .action(async (name, options) => (await import('./commands/token.ts')).create(name, options));
  command('list', 'list the tokens, without their secrets').action(async (options) =>
    (await import('./commands/token.ts')).list(options),
  );
  command('revoke <name>', 'revoke a token').action(async (name, options) =>
    (await import('./commands/token.ts')).revoke(name, options),
  );
}
