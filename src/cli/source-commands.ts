/** The commands about the configuration, the sources and the policy: what there are and what they take. */

import { type Command, Option } from 'commander';
import { collect, common, wholeNumber } from './options.ts';

/** What a command takes that only reads or changes the configuration. */
function configured(command: Command): Command {
  return command
    .option('--json', 'print JSON')
    .option('--config <file>', 'configuration (default: the nearest skillgate.config.json or .yaml upwards)');
}

export function configCommands(skillgate: Command): void {
  const config = skillgate.command('config').description('what is configured, and whether it is valid');
  common(config.command('check'))
    .description('say what is in force, secrets masked; exits with 2 where something is wrong')
    .action(async (options) => (await import('./commands/config.ts')).check(options));
  config
    .command('schema')
    .description('print the JSON Schema of the configuration')
    .action(async () => (await import('./commands/config.ts')).schema());
  configured(config.command('path'))
    .description('print which configuration file is in force; exits with 3 where there is none')
    .action(async (options) => (await import('./commands/config.ts')).path(options));
}

export function policyCommands(skillgate: Command): void {
  const policy = skillgate.command('policy').description('who may see what');
  common(policy.command('explain <principal> [skill]'))
    .description('what a principal sees, or why it sees a skill or does not; exits with 3 where it does not')
    .option('--scope <scope>', 'a scope that the principal has; repeat for several', collect)
    .action(async (principal, skill, options) =>
      (await import('./commands/policy.ts')).explain(principal, skill, options),
    );
}

export function sourcesCommands(skillgate: Command): void {
  const sources = skillgate.command('sources').description('where skills come from');
  common(sources.command('list'))
    .description('the sources that are configured')
    .action(async (options) => (await import('./commands/sources.ts')).list(options));
  common(sources.command('status'))
    .description('what each source holds, how old it is, and why it could not be refreshed')
    .action(async (options) => (await import('./commands/sources.ts')).status(options));
  common(sources.command('refresh [names...]'))
    .description('fetch now; exits with 1 where a source failed')
    .action(async (names, options) => (await import('./commands/sources.ts')).refresh(names, options));
  configured(sources.command('add [place...]'))
    .description('add a git URL, a site, an archive, a folder or an MCP server to the configuration')
    .option('--name <name>', 'what it is called (default: made from the place)')
    .addOption(
      new Option('--kind <kind>', 'what it is (default: told from the place)').choices([
        'local',
        'git',
        'archive',
        'well-known',
        'mcp',
      ]),
    )
    .option('--ref <ref>', 'git: branch, tag or commit')
    .option('--folder <path>', 'git, archive: the folder with the skills')
    .option('--token-env <variable>', 'git: variable with a token for HTTPS')
    .option('--mcp-url <url>', 'an MCP server over HTTP')
    .option('--mcp-command <program>', 'an MCP server to start; its arguments follow after --')
    .option(
      '--header <name:value>',
      'HTTP header, secrets as variables in braces; repeat for several',
      collect,
    )
    .option('--env <name=value>', 'variable of the MCP server; repeat for several', collect)
    .option('--priority <n>', 'of identical skills, that of the highest is shown', wholeNumber)
    .option('--refresh <time>', 'how long what was fetched counts as fresh: 30s, 15m, 6h')
    .option('--allow-private', 'its address may be a private one')
    .option('--no-fetch', 'write it down without fetching it')
    .option('--frozen', 'add nothing that skillgate.lock.json does not know')
    .action(async (places, options) => (await import('./commands/sources-edit.ts')).add(places, options));
  configured(sources.command('remove <name>'))
    .description('remove a source from the configuration, and what was fetched of it')
    .option('--frozen', 'keep what skillgate.lock.json has')
    .action(async (name, options) => (await import('./commands/sources-edit.ts')).remove(name, options));
}
