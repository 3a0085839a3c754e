#!/usr/bin/env node
/** The command line: what commands there are and what they take. Each one's work is loaded when it is called. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command, Option } from 'commander';
import { endWith } from './ending.ts';
import { collect, common, wholeNumber } from './options.ts';
import { packageRoot } from './package-root.ts';
import { configCommands, policyCommands, sourcesCommands } from './source-commands.ts';
import { tokenCommands } from './token-commands.ts';

export function version(): string {
  const json: { version: string } = JSON.parse(readFileSync(join(packageRoot(), 'package.json'), 'utf8'));
  return json.version;
}

/** The names are those of `mcp/tools/profiles.ts`, which is loaded with the command. */
const toolsOption = () =>
  new Option('--tools <profile>', 'the tools that clients see')
    .choices(['search-first', 'skills-mcp', 'skill-engine'])
    .default('search-first');

export function program(): Command {
  const skillgate = new Command('skillgate')
    .description(
      'Search-first Agent Skills: find the right skill by intent, load it, read the lines you need.',
    )
    .version(version())
    .showHelpAfterError('(skillgate help lists the commands)')
    .addHelpText(
      'after',
      '\nExit codes: 0 done, 1 failed, 2 wrong usage, 3 nothing found, 4 invalid skills, 5 index in use by a writer.',
    );
  const command = (usage: string, description: string) =>
    common(skillgate.command(usage).description(description));

  command('index [dirs...]', 'bring the index up to date with the skill folders').action(
    async (dirs, options) => (await import('./commands/index.ts')).index(dirs, options),
  );
  command('search <query...>', 'find skills by what you want to do')
    .option('-k, --top <n>', 'hits to show (1–50)', wholeNumber, 5)
    .option('--cursor <cursor>', 'go on where an earlier answer ended')
    .option('--source <name>', 'only skills of this source; repeat for several', collect)
    .option('--tag <tag>', 'only skills with this tag; repeat for several', collect)
    .option('--has-scripts', 'only skills with scripts')
    .option('--explain', 'show the parts of each score, and what separates each hit from the next')
    .option('--bundle', 'the fewest skills that together cover a task with several parts')
    .option('--max-tokens <n>', 'with --bundle: what loading all of them may take (100–50000)', wholeNumber)
    .action(async (query, options) => (await import('./commands/search.ts')).search(query, options));
  command('why <query> <skill>', 'why a skill stands where it does for a query, and what would change it')
    .option('-k, --top <n>', 'hits of a first page (1–50)', wholeNumber, 5)
    .action(async (query, skill, options) => (await import('./commands/why.ts')).why(query, skill, options));
  command('load <skill>', 'print the instructions of a skill (id, URI or name)')
    .option('--section <heading>', 'only this section')
    .option('--max-tokens <n>', 'cut after about this many tokens (100–50000)', wholeNumber)
    .action(async (skill, options) => (await import('./commands/load.ts')).load(skill, options));
  command('read <skill> <path>', 'print a file of a skill')
    .option('--lines <a-b>', 'only these lines')
    .option('--heading <heading>', 'only this section')
    .option('--max-tokens <n>', 'cut after about this many tokens (100–50000)', wholeNumber)
    .action(async (skill, path, options) => (await import('./commands/read.ts')).read(skill, path, options));
  command('list', 'list the skills by id')
    .option('--limit <n>', 'how many (1–200; default: all)', wholeNumber)
    .option('--cursor <cursor>', 'go on where an earlier list ended')
    .action(async (options) => (await import('./commands/list.ts')).list(options));
  command('stats', 'what the catalog and the index hold')
    .option('--collisions', 'also which skills say nearly the same of themselves, and who shadows whom')
    .action(async (options) => (await import('./commands/stats.ts')).stats(options));
  command('validate [dirs...]', 'check skills; exits with 4 where one has errors')
    .option('--strict', 'also fail for what the Agent Skills specification refuses')
    .action(async (dirs, options) => (await import('./commands/validate.ts')).validate(dirs, options));
  command('serve', 'answer an MCP client on stdin and stdout, or several over HTTP')
    .option(
      '--http',
      'serve over Streamable HTTP, at /mcp: to programs of this machine, with authentication to others',
    )
    .option('--port <n>', 'port for --http; 0 takes any that is free (default: 3000)', wholeNumber)
    .option(
      '--host <address>',
      'address for --http; others than this machine’s need authentication (default: 127.0.0.1)',
    )
    .addOption(toolsOption())
    .option('--no-drafts', 'leave the older drafts of skills methods out, for clients of older revisions')
    .action(async (options) => (await import('./commands/serve.ts')).serve(options, version()));
  command('run <skill> <script> [words...]', 'run a script of a skill in a sandbox (words after --)')
    .option('--arguments <json>', 'arguments as agents give them, instead of words')
    .option('--stdin', 'pass standard input on')
    .option('--file <path>', 'a file to work on, copied into the work folder; repeat for several', collect)
    .option('--output <dir>', 'where the files that the script leaves are saved')
    .option('--timeout <seconds>', 'end it earlier than the configuration does', wholeNumber)
    .action(async (skill, script, words, options) =>
      (await import('./commands/run.ts')).run(skill, script, words, options),
    );
  command(
    'doctor',
    'check what skillgate needs on this machine; exits with 1 where something is wrong',
  ).action(async (options) => (await import('./commands/doctor.ts')).doctor(options));
  command('instructions', 'print how an agent works with these skills, for AGENTS.md and the like')
    .option('--no-xml', 'without the element around it')
    .addOption(toolsOption())
    .action(async (options) => (await import('./commands/instructions.ts')).instructions(options));
  command('context', 'print the skills as a block for a prompt: all, or those nearest to a query')
    .option('--query <text>', 'what the agent is about to do')
    .option('--max-tokens <n>', 'what the block may take (default: no limit; 2000 with --query)', wholeNumber)
    .action(async (options) => (await import('./commands/context.ts')).context(options));
  command('eval', 'measure retrieval on labelled queries (BEIR layout)')
    .option('--queries <file>', 'queries.jsonl: {_id, text} a line')
    .option('--qrels <file>', 'qrels.tsv: query-id, corpus-id, score')
    .option('--run <file>', 'also write the rankings as a TREC run')
    .option('--make-queries <dir>', 'write a template of queries to label, drawn from your own skills')
    .action(async (options) => (await import('./commands/eval.ts')).evaluate(options));
  configCommands(skillgate);
  sourcesCommands(skillgate);
  policyCommands(skillgate);
  tokenCommands(skillgate);
  skillgate
    .command('demo')
    .description('index the example skills in memory and answer three questions')
    .action(async () => (await import('./commands/demo.ts')).demo());
  return skillgate;
}

endWith(program());
