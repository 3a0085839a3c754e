/**
 * The list of extensions: the one file of the core that changes when an extension comes or goes. It says what an extension
 * adds before it is loaded; the rest is `src/app/extension.ts`.
 */

import type { ExtensionEntry } from '../src/app/extension.ts';

export const EXTENSIONS: readonly ExtensionEntry[] = [
  {
    name: 'scripts',
    isWanted: ({ scripts, sources }) =>
      scripts.enabled || sources.some((source) => source.kind === 'mcp' && source.sandbox !== undefined),
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
    isWanted: ({ store }) => store !== undefined,
    load: async () => (await import('./postgres/extension.ts')).extension,
    commands: ({ program, common, wholeNumber }) => {
      const store = program
        .command('store')
        .description('the database through which several gateways share a catalog');
      const command = (usage: string, description: string) =>
        common(store.command(usage).description(description));
      const commands = () => import('./postgres/commands/store.ts');
      command('init', 'create or update the tables; gateways may go on meanwhile')
        .option('--reader <role>', 'also give this role the rights of a reader')
        .option('--writer <role>', 'also give this role the rights of a writer')
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
      command('gc', 'remove what no gateway needs any more')
        .option('--keep <n>', 'generations to keep', wholeNumber, 3)
        .option('--grace <minutes>', 'keep what is newer than this', wholeNumber, 60)
        .action(async (options) => (await commands()).gc(options));
    },
  },
  {
    name: 'learning',
    isWanted: ({ learn }) => learn.enabled,
    load: async () => (await import('./learning/extension.ts')).extension,
    commands: ({ command }) => {
      command('forget [principal]', 'forget what search learned from what a principal loaded')
        .option('--all', 'what search learned from everybody')
        .action(async (who, options) => (await import('./learning/commands/forget.ts')).forget(who, options));
    },
  },
  {
    name: 'compat',
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
    isWanted: ({ http }) => http.explore,
    load: async () => (await import('./explore/extension.ts')).extension,
    commands: ({ command, wholeNumber, version }) => {
      command('explore', 'look at your skills in the browser: search, why, map, health, use')
        .option('--port <n>', 'port on 127.0.0.1; 0 takes any free port', wholeNumber, 0)
        .option('--keep', 'the same port and token each time, so that links survive a restart')
        .option('--no-open', 'only print the address')
        .action(async (options) => (await import('./explore/commands/explore.ts')).explore(options, version));
    },
  },
  {
    name: 'lab',
    load: async () => ({}),
    commands: ({ command, collect, share }) => {
      command(
        'eval',
        'measure retrieval on labelled queries (BEIR layout), or on the evals/ of the skills themselves',
      )
        .option('--queries <file>', 'queries.jsonl: one {_id, text} per line')
        .option('--qrels <file>', 'qrels.tsv: query-id, corpus-id, score')
        .option('--run <file>', 'also write the rankings as a TREC run')
        .option('--min-hit1 <share>', 'exit with 8 if Hit@1 is below this share (0–1)', share)
        .option('--baseline <run>', 'compare with a run of --run; exit with 8 if Hit@1 is lower')
        .option('--make-queries <dir>', 'write a template of queries to label, drawn from your skills')
        .option('--only <source>', 'with --make-queries: draw from this source; repeat for several', collect)
        .action(async (options) => (await import('./lab/commands/eval.ts')).evaluate(options));
      command('ranks <skill>', 'the rank of a skill for each of a set of requests, and what comes before it')
        .requiredOption('--queries <file>', 'the requests, one a line, or queries.jsonl')
        .option('--qrels <file>', 'which skills answer each; shows what the skill takes from them')
        .action(async (skill, options) => (await import('./lab/commands/ranks.ts')).ranks(skill, options));
    },
  },
];
