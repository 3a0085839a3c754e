/**
 * The list of extensions, for the entries in `bin/`: what each adds before it is loaded. `src/app/extension-api.ts` is their
 * contract.
 */

import type { ExtensionEntry } from '../src/app/extension-api.ts';

/** The hosts of `connect`: their code is not loaded for a help text. */
const HOST_IDS =
  'claude-code, codex, gemini-cli, opencode, copilot-cli, cline, qwen-code, continue, kilo, pi, droid, claude-desktop, cursor, vscode, vscode-insiders, goose, windsurf, devin, devin-cli, antigravity, zed, amp, kiro, hermes, openclaw';

export const EXTENSIONS: readonly ExtensionEntry[] = [
  {
    name: 'connect',
    commands: ({ program, command, collect, share, forgiving }) => {
      program
        .command('connect')
        .argument('[host]', `default: those found on this machine. Hosts: ${HOST_IDS}`)
        .description('add skillgate to the settings of a host, or of those found on this machine')
        .addOption(
          program
            .createOption('--scope <scope>', 'whose settings')
            .choices(['user', 'project'])
            .default('user'),
        )
        .option('--print', 'print what would change, and write nothing')
        .option('--remove', 'undo the change')
        .option('--yes', 'write without asking')
        .option('--keep-skills', "leave the host's own list of skills switched on")
        .option('--hide-skills', 'switch that list off also where it stays on by default')
        .option('--allow', 'let the host call skillgate without asking, also in headless runs')
        .option('--hook', 'also run skillgate hint on each prompt, which names the skills that may fit')
        .option('--skills <dir>', 'folder with skills for the server; repeat for several', collect)
        .option('--config <file>', 'configuration for the server')
        .option('--json', 'print JSON')
        .action(async (host, options) =>
          (await import('./connect/commands/connect.ts')).connect(host, options),
        );
      command('doctor', 'check what skillgate needs on this machine; exits with 1 if a check fails').action(
        async (options) => (await import('./connect/commands/doctor.ts')).doctor(options),
      );
      forgiving(command('hint', 'name the skills that may fit a prompt on stdin, for prompt hooks of hosts'))
        .option('--min-fit <n>', 'print skills only if the fit is at least this (0–1; default: 0.6)', share)
        .option('--verbose', 'say on stderr why nothing is printed')
        .action(async (options) => (await import('./connect/commands/hint.ts')).hint(options));
    },
  },
  {
    name: 'authoring',
    commands: ({ program, command, version, collect, wholeNumber, upTo }) => {
      command('why <query> <skill>', 'explain the rank of a skill for a query, and what would change it')
        .option('-k, --top <n>', 'hits on the first page (1–50)', upTo(50), 5)
        .action(async (query, skill, options) =>
          (await import('./authoring/commands/why.ts')).why(query, skill, options),
        );
      command('stats', 'print what the catalog and the index hold')
        .option(
          '--collisions',
          'also list skills that an agent could not tell apart by name and description, and which one hides the other',
        )
        .option('--all', 'with --collisions: every pair, not the first twenty')
        .action(async (options) => (await import('./authoring/commands/stats.ts')).stats(options));
      command('validate [paths...]', 'check skills, in folders or as files; exits with 4 if one has errors')
        .option('--strict', 'also fail for violations of the Agent Skills specification')
        .option(
          '--fail-on <what>',
          'also fail for a severity (info, warning) or a rule (link-dead); repeat for several',
          collect,
        )
        .option('--max-warnings <n>', 'also fail for more warnings than that', wholeNumber)
        .option('--all', 'print every remark, however many there are')
        .option(
          '--project-rules',
          "in CI, and with --format sarif or github: let the project's configuration make rules milder, too",
        )
        .addOption(
          program
            .createOption('--format <format>', 'sarif and github are for code hosts')
            .choices(['text', 'json', 'sarif', 'github'])
            .default('text'),
        )
        .option('--fix', 'fix what has only one solution, and print the exact diff')
        .option('--dry-run', 'with --fix: print the diff, and write nothing')
        .option('--yes', 'with --fix: write without asking')
        .action(async (paths, options) =>
          (await import('./authoring/commands/validate.ts')).validate(paths, options, version),
        );
    },
  },
  {
    name: 'http',
    adds: ['http'],
    load: async () => (await import('./http/extension.ts')).extension,
    commands: ({ program, configured, collect }) => {
      const token = program.command('token').description('manage bearer tokens for serve --http');
      const command = (usage: string, description: string) =>
        configured(token.command(usage).description(description))
          .option('--file <file>', 'the token file (default: auth.tokens of the configuration)')
          .option('--set <path=value>', 'one setting of the configuration; repeat for several', collect);
      const commands = () => import('./http/commands/token.ts');
      command('create <name>', 'create a token with this name and print it once')
        .option('--scope <scope>', 'a scope of the token; repeat for several', collect)
        .option('--expires <time>', 'lifetime such as 90d or 12h, or never', '90d')
        .action(async (name, options) => (await commands()).create(name, options));
      command('list', 'list the tokens, without their secrets').action(async (options) =>
        (await commands()).list(options),
      );
      command('revoke <name>', 'revoke a token').action(async (name, options) =>
        (await commands()).revoke(name, options),
      );
    },
  },
  {
    name: 'remote-sources',
    adds: ['sources'],
    load: async () => (await import('./remote-sources/extension.ts')).extension,
    commands: ({ program, common, configured, collect }) => {
      const sources = program.command('sources').description('where skills come from');
      common(sources.command('list'))
        .description('list the configured sources')
        .action(async (options) => (await import('./remote-sources/commands/sources.ts')).list(options));
      common(sources.command('status'))
        .description('print the contents and age of each source, and why a refresh failed')
        .action(async (options) => (await import('./remote-sources/commands/sources.ts')).status(options));
      common(sources.command('refresh [names...]'))
        .description('fetch now; exits with 1 if a source failed')
        .action(async (names, options) =>
          (await import('./remote-sources/commands/sources.ts')).refresh(names, options),
        );
      configured(sources.command('add [location...]'))
        .description('add a git URL, a site, an archive, a folder or an MCP server to the configuration')
        .option('--name <name>', 'name of the source (default: derived from the location)')
        .addOption(
          program
            .createOption('--kind <kind>', 'kind of the source (default: recognised from the location)')
            .choices(['local', 'git', 'archive', 'well-known', 'mcp']),
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
        .option('--allow-private', 'allow a private address')
        .option('--no-fetch', 'add it without fetching')
        .option('--frozen', 'refuse a source that skillgate.lock.json does not list')
        .action(async (locations, options) =>
          (await import('./remote-sources/commands/sources-edit.ts')).add(locations, options),
        );
      configured(sources.command('remove <name>'))
        .description('remove a source from the configuration, and its fetched files')
        .option('--frozen', 'keep the entries of skillgate.lock.json')
        .action(async (name, options) =>
          (await import('./remote-sources/commands/sources-edit.ts')).remove(name, options),
        );
    },
  },
  {
    name: 'scripts',
    adds: ['scripts', 'checks'],
    isEnabled: ({ scripts }) => scripts.enabled,
    load: async () => (await import('./scripts/extension.ts')).extension,
    commands: ({ command, collect, wholeNumber }) => {
      command('run <skill> <script> [words...]', 'run a script of a skill in a sandbox (words after --)')
        .option('--arguments <json>', 'arguments as a JSON object, instead of words')
        .option('--stdin', 'pass standard input to the script')
        .option('--file <path>', 'a file to copy into the work folder; repeat for several', collect)
        .option('--output <dir>', 'folder for the files that the script writes')
        .option('--timeout <seconds>', 'a shorter time limit than the configured one', wholeNumber)
        .action(async (skill, script, words, options) =>
          (await import('./scripts/commands/run.ts')).run(skill, script, words, options),
        );
    },
  },
  {
    name: 'postgres',
    adds: ['shared'],
    isEnabled: ({ store }) => store !== undefined,
    load: async () => (await import('./postgres/extension.ts')).extension,
    commands: ({ program, common, wholeNumber }) => {
      const store = program
        .command('store')
        .description('the database through which several gateways share a catalog');
      const command = (usage: string, description: string) =>
        common(store.command(usage).description(description));
      const commands = () => import('./postgres/commands/store.ts');
      command('init', 'create or update the tables, while gateways run')
        .option('--reader <role>', 'also give this role the rights of a reader')
        .option('--writer <role>', 'also give this role the rights of a gateway that may write')
        .option('--admin <role>', 'also give this role the right to make tokens and set the policy')
        .action(async (options) => (await commands()).init(options));
      command('status', 'print what the store holds, and who writes').action(async (options) =>
        (await commands()).status(options),
      );
      command('copy-in', 'index the skills of this machine and publish them once').action(async (options) =>
        (await commands()).copyInto(options),
      );
      command(
        'copy-out <dir>',
        'write the published index and the files of its skills into a new folder',
      ).action(async (dir, options) => (await commands()).copyTo(dir, options));
      command('policy', 'publish the policy of this configuration to all gateways').action(async (options) =>
        (await commands()).policy(options),
      );
      command('audit', 'print the audit log of all gateways').action(async (options) =>
        (await commands()).audit(options),
      );
      command('gc', 'remove data that no gateway needs')
        .option('--keep <n>', 'generations to keep', wholeNumber, 3)
        .option('--grace <minutes>', 'keep what is newer than this', wholeNumber, 60)
        .action(async (options) => (await commands()).gc(options));
    },
  },
  {
    name: 'learning',
    adds: ['learning'],
    isEnabled: ({ learn }) => learn.enabled,
    load: async () => (await import('./learning/extension.ts')).extension,
    commands: ({ command }) => {
      command('forget [principal]', 'forget what search learned from what a principal loaded')
        .option('--all', 'what search learned from all principals')
        .action(async (who, options) => (await import('./learning/commands/forget.ts')).forget(who, options));
    },
  },
  {
    name: 'compat',
    adds: ['profile', 'olderHandlers'],
    profiles: ['skills-mcp', 'skill-engine'],
    olderMethods: {
      methods: ['skills/list', 'skills/get', 'skills/read', 'skills/read_reference', 'skills/execute'],
      capability: 'skills',
      onChange: 'notifications/skills/list_changed',
      resource: {
        name: 'file',
        template: 'skillgate:file{?skill,path}',
        title: 'File of a skill',
        description: 'For skills that the Skills extension does not serve.',
      },
    },
    load: async () => (await import('./compat/extension.ts')).extension,
  },
  {
    name: 'explore',
    adds: ['page'],
    isEnabled: ({ http }) => http.explore,
    load: async () => (await import('./explore/extension.ts')).extension,
    commands: ({ command, wholeNumber }) => {
      command('explore', 'look at your skills in the browser: search them, see them on a map, improve them')
        .option('--port <n>', 'port on 127.0.0.1; 0 takes any free port', wholeNumber, 0)
        .option('--keep', 'the same port and token each time, so that links survive a restart')
        .option('--no-open', 'only print the address')
        .action(async (options) => (await import('./explore/commands/explore.ts')).explore(options));
    },
  },
  {
    name: 'ard',
    adds: ['page'],
    isEnabled: ({ ard }) => ard !== undefined,
    load: async () => (await import('./ard/extension.ts')).extension,
  },
  {
    name: 'requests',
    adds: ['feature'],
    load: async () => (await import('./requests/extension.ts')).extension,
    commands: ({ program, common, upTo }) => {
      const requests = program
        .command('requests')
        .description('requests that your own agent writes for skills, so that they are found');
      const commands = () => import('./requests/commands/requests.ts');
      common(requests.command('list', { isDefault: true }))
        .description('list the skills that carry no requests')
        .action(async (options) => (await commands()).list(options));
      common(requests.command('write'))
        .description('print the cards of the next skills, and what an agent is to write for them')
        .option('--size <n>', 'skills at once (1–200; default: 40)', upTo(200))
        .action(async (options) => (await commands()).write(options));
      common(requests.command('add [file]'))
        .description('check and keep what the agent wrote, from a file or standard input')
        .action(async (file, options) => (await commands()).add(file, options));
      common(requests.command('remove [skills...]'))
        .description('remove requests that an agent wrote')
        .option('--all', 'those of all skills')
        .action(async (skills, options) => (await commands()).remove(skills, options));
    },
  },
  {
    name: 'usage',
    commands: ({ command }) => {
      command(
        'usage [logs...]',
        'what was asked for, and which skills are never found or loaded, from the audit log',
      )
        .option('--export <dir>', 'write the requests as a query set for eval, judged by what was loaded')
        .action(async (logs, options) => (await import('./usage/commands/usage.ts')).usage(logs, options));
    },
  },
  {
    name: 'eval',
    commands: ({ command, share }) => {
      command('eval', 'measure search on labelled queries, or on the evals/ of the skills themselves')
        .option('--queries <file>', 'queries.jsonl: one {_id, text} per line')
        .option('--qrels <file>', 'qrels.tsv: query-id, corpus-id, score')
        .option('--min-hit1 <share>', 'exit with 8 if Hit@1 is below this share (0–1)', share)
        .option(
          '--baseline <file>',
          'compare with the --json output of an earlier run; exit with 8 if Hit@1 is lower',
        )
        .action(async (options) => (await import('./eval/commands/eval.ts')).evaluate(options));
    },
  },
];
