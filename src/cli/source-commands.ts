/** The commands for configuration, sources and policy, and their options. */

import { type Command, Option } from 'commander';
import { collect, common } from './options.ts';

/** Adds the options of a command that only reads or edits the configuration. */
function configured(command: Command): Command {
  return command
    .option('--json', 'print JSON')
    .option(
      '--config <file>',
      'configuration (default: the nearest skillgate.config.json or .yaml here or above)',
    );
}

export function configCommands(skillgate: Command): void {
  const config = skillgate.command('config').description('check and print the configuration');
  common(config.command('check'))
    .description(
      'check the configuration and print the settings in use, secrets masked; exits with 2 if it is invalid',
    )
    .action(async (options) => (await import('./commands/config.ts')).check(options));
  config
    .command('schema')
    .description('print the JSON Schema of the configuration')
    .action(async () => (await import('./commands/config.ts')).schema());
  configured(config.command('path'))
    .description('print the path of the configuration file; exits with 3 if there is none')
    .action(async (options) => (await import('./commands/config.ts')).path(options));
}

export function cacheCommands(skillgate: Command): void {
  const cache = skillgate
    .command('cache')
    .description('what lies in the folder of caches, and what nobody needs');
  cache
    .command('list', { isDefault: true })
    .description('list the indexes with what they are for, their size and last use, and what else is cached')
    .option('--json', 'print JSON')
    .action(async (options) => (await import('./commands/cache.ts')).list(options));
  cache
    .command('remove <names...>')
    .description('remove indexes, models or copies by their names in the list')
    .option('--json', 'print JSON')
    .action(async (names, options) => (await import('./commands/cache.ts')).remove(names, options));
  cache
    .command('clean')
    .description('remove the indexes and copies of sources that nobody used for 60 days, as each start does')
    .option('--json', 'print JSON')
    .action(async (options) => (await import('./commands/cache.ts')).clean(options));
}

export function trustCommand(skillgate: Command): void {
  skillgate
    .command('trust')
    .description("look at what a project's configuration asks for, and trust it")
    .option('--list', 'list the projects that you trust')
    .option('--revoke [path]', 'trust a project no more (default: the one here)')
    .option('--yes', 'trust without asking')
    .option('--json', 'print JSON')
    .action(async (options) => (await import('./commands/trust.ts')).trust(options));
}

export function policyCommands(skillgate: Command): void {
  const policy = skillgate.command('policy').description('who may see what');
  common(policy.command('explain <principal> [skill]'))
    .description('print what a principal sees, or why it sees a skill; exits with 3 if it does not')
    .option('--scope <scope>', 'a scope of the principal; repeat for several', collect)
    .action(async (principal, skill, options) =>
      (await import('./commands/policy.ts')).explain(principal, skill, options),
    );
}

export function sourcesCommands(skillgate: Command): void {
  const sources = skillgate.command('sources').description('where skills come from');
  common(sources.command('list'))
    .description('list the configured sources')
    .action(async (options) => (await import('./commands/sources.ts')).list(options));
  common(sources.command('status'))
    .description('print the contents and age of each source, and why a refresh failed')
    .action(async (options) => (await import('./commands/sources.ts')).status(options));
  common(sources.command('refresh [names...]'))
    .description('fetch now; exits with 1 if a source failed')
    .action(async (names, options) => (await import('./commands/sources.ts')).refresh(names, options));
  configured(sources.command('add [location...]'))
    .description('add a git URL, a site, an archive, a folder or an MCP server to the configuration')
    .option('--name <name>', 'name of the source (default: derived from the location)')
    .addOption(
      new Option('--kind <kind>', 'kind of the source (default: recognised from the location)').choices([
        'local',
        'git',
        'archive',
        'well-known',
        'mcp',
      ]),
    )
    .option('--ref <ref>', 'git: branch, tag or commit')
    .option('--folder <path>', 'git, archive: the folder with the skills')
    .option('--token-env <variable>', 'git: variable that holds a token for HTTPS')
    .option('--mcp-url <url>', 'an MCP server over HTTP')
    .option('--mcp-command <program>', 'an MCP server to start; its arguments follow --')
    .option(
      '--header <name:value>',
      'HTTP header, with secrets as variables in braces; repeat for several',
      collect,
    )
    .option('--env <name=value>', 'variable of the MCP server; repeat for several', collect)
    .option('--refresh <time>', 'how long fetched skills count as fresh: 30s, 15m, 6h')
    .option('--allow-private', 'allow a private address')
    .option('--no-fetch', 'add it without fetching')
    .option('--frozen', 'refuse a source that skillgate.lock.json does not list')
    .action(async (locations, options) =>
      (await import('./commands/sources-edit.ts')).add(locations, options),
    );
  configured(sources.command('remove <name>'))
    .description('remove a source from the configuration, and its fetched files')
    .option('--frozen', 'keep the entries of skillgate.lock.json')
    .action(async (name, options) => (await import('./commands/sources-edit.ts')).remove(name, options));
}

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
