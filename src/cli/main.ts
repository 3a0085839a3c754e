#!/usr/bin/env node
/** The command line: all commands and their options. A command's code is loaded when it runs. */

import { Argument, Command, Option } from 'commander';
import { EXTENSIONS } from '../../extensions/extensions.ts';
import { PROFILE_NAMES } from '../app/load-extensions.ts';
import { packageVersion } from '../app/package-root.ts';
import { runProgram } from './ending.ts';
import { collect, common, forgiving, share, upTo, wholeNumber } from './options.ts';
import {
  cacheCommands,
  configCommands,
  policyCommands,
  sourcesCommands,
  tokenCommands,
  trustCommand,
} from './source-commands.ts';

const SHELLS = ['bash', 'zsh', 'fish', 'powershell'];

const toolsOption = () =>
  new Option('--tools <profile>', 'the tools that clients see')
    .choices([...PROFILE_NAMES])
    .default(PROFILE_NAMES[0]);

function program(): Command {
  const skillgate = new Command('skillgate')
    .description(
      'Search-first Agent Skills: find the right skill by intent, load it, read the lines you need.',
    )
    .version(packageVersion(), '-v, --version')
    .showHelpAfterError('(skillgate help lists the commands)')
    .addHelpText(
      'after',
      '\nExit codes: 0 done, 1 failed, 2 wrong usage, 3 nothing found, 4 invalid skills, 5 index locked by another writer, 7 not confirmed, 8 eval below its limit.',
    );
  const command = (usage: string, description: string) =>
    common(skillgate.command(usage).description(description));

  command('index [dirs...]', 'update the index from the skill folders').action(async (dirs, options) =>
    (await import('./commands/index.ts')).index(dirs, options),
  );
  command('search <query...>', 'find skills by what you want to do')
    .option('-k, --top <n>', 'hits to show (1–50)', upTo(50), 5)
    .option('--cursor <cursor>', 'continue an earlier answer')
    .option('--source <name>', 'only skills of this source; repeat for several', collect)
    .option('--tag <tag>', 'only skills with this tag; repeat for several', collect)
    .option('--has-scripts', 'only skills with scripts')
    .option('--explain', 'show the parts of each score, and why each hit ranks above the next')
    .option('--fresh', 'check all skill folders first, even of a large catalog')
    .action(async (query, options) => (await import('./commands/search.ts')).search(query, options));
  command('why <query> <skill>', 'explain the rank of a skill for a query, and what would change it')
    .option('-k, --top <n>', 'hits on the first page (1–50)', upTo(50), 5)
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
    .option('--cursor <cursor>', 'continue an earlier list')
    .option('--pinned', 'only the pinned skills, as the server shows them in its instructions')
    .action(async (options) => (await import('./commands/list.ts')).list(options));
  command('stats', 'print what the catalog and the index hold')
    .option(
      '--collisions',
      'also list skills that an agent could not tell apart by name and description, and which one hides the other',
    )
    .option('--all', 'with --collisions: every pair, not the first twenty')
    .action(async (options) => (await import('./commands/stats.ts')).stats(options));
  command('validate [paths...]', 'check skills, in folders or as files; exits with 4 if one has errors')
    .option('--strict', 'also fail for violations of the Agent Skills specification')
    .option(
      '--fail-on <what>',
      'also fail for a severity (info, warning) or a rule (link-dead); repeat for several',
      collect,
    )
    .option('--max-warnings <n>', 'also fail for more warnings than that', wholeNumber)
    .option('--all', 'print every remark, however many there are')
    .addOption(
      new Option('--format <format>', 'sarif and github are for code hosts')
        .choices(['text', 'json', 'sarif', 'github'])
        .default('text'),
    )
    .option('--fix', 'write what can be fixed without a choice, and print the exact diff')
    .option('--dry-run', 'with --fix: print the diff, and write nothing')
    .action(async (paths, options) =>
      (await import('./commands/validate.ts')).validate(paths, options, packageVersion()),
    );
  command('serve', 'serve an MCP client on stdin and stdout, or several clients over HTTP')
    .option('--http', 'serve over Streamable HTTP at /mcp; other machines need authentication')
    .option('--port <n>', 'port for --http; 0 takes any free port (default: 3000)', wholeNumber)
    .option(
      '--host <address>',
      'address for --http; a public address needs authentication (default: 127.0.0.1)',
    )
    .addOption(toolsOption())
    .addOption(
      new Option(
        '--answers <form>',
        'text: without structured content and its schemas, for hosts that read only text',
      )
        .choices(['text', 'both'])
        .default('both'),
    )
    .option('--no-drafts', 'leave out the older drafts of skills methods')
    .action(async (options) => (await import('./commands/serve.ts')).serve(options, packageVersion()));
  skillgate
    .command('connect [host]')
    .description('add skillgate to the settings of a host, or of those found on this machine')
    .addOption(new Option('--scope <scope>', 'whose settings').choices(['user', 'project']).default('user'))
    .option('--print', 'print what would change, and write nothing')
    .option('--remove', 'undo the change')
    .option('--yes', 'write without asking')
    .option('--keep-skills', "leave the host's own list of skills switched on")
    .option('--hook', 'also run skillgate hint on each prompt, which names the skills that may fit')
    .option('--skills <dir>', 'folder with skills for the server; repeat for several', collect)
    .option('--config <file>', 'configuration for the server')
    .option('--json', 'print JSON')
    .action(async (host, options) => (await import('./commands/connect.ts')).connect(host, options));
  command('doctor', 'check what skillgate needs on this machine; exits with 1 if a check fails').action(
    async (options) => (await import('./commands/doctor.ts')).doctor(options),
  );
  command('instructions', 'print how an agent uses these skills, for AGENTS.md and similar files')
    .option('--no-xml', 'without the surrounding element')
    .addOption(toolsOption())
    .action(async (options) => (await import('./commands/instructions.ts')).instructions(options));
  command('context', 'print the skills as a block for a prompt: all, or the nearest to a query')
    .option('--query <text>', 'what the agent is about to do')
    .option('--max-tokens <n>', 'budget of the block (default: no limit; 2000 with --query)', wholeNumber)
    .action(async (options) => (await import('./commands/context.ts')).context(options));
  forgiving(command('hint', 'name the skills that may fit a prompt on stdin, for prompt hooks of hosts'))
    .option('--min-fit <n>', 'print skills only if the fit is at least this (0–1; default: 0.65)', share)
    .option('--verbose', 'say on stderr why nothing is printed')
    .action(async (options) => (await import('./commands/hint.ts')).hint(options));
  command('new <name>', 'write a skill from a few answers, and check it against the catalog')
    .option('--does <text>', 'what it does, in one sentence (default: asked)')
    .option('--when <text>', 'when to use it')
    .option('--not <text>', 'what it is not for')
    .option('--request <text>', 'a request that should find it; repeat for several', collect)
    .option('--queries <file>', 'a file of such requests, one a line')
    .option(
      '--dir <dir>',
      'folder to write it to (default: that of --skills, else with the other skills of the project)',
    )
    .action(async (name, options) => (await import('./commands/new.ts')).create(name, options));
  command('usage [logs...]', 'what was wanted, and what nobody finds or loads, from the audit log')
    .option('--export <dir>', 'write the requests as a query set for eval, judged by what was loaded')
    .action(async (logs, options) => (await import('./commands/usage.ts')).usage(logs, options));
  command(
    'savings [logs...]',
    "what hosts' own lists of skills would take and leave out, and what skillgate takes",
  ).action(async (logs, options) => (await import('./commands/savings.ts')).savings(logs, options));
  configCommands(skillgate);
  cacheCommands(skillgate);
  trustCommand(skillgate);
  sourcesCommands(skillgate);
  policyCommands(skillgate);
  tokenCommands(skillgate);
  for (const { commands } of EXTENSIONS)
    commands?.({
      program: skillgate,
      version: packageVersion(),
      command,
      common,
      collect,
      wholeNumber,
      share,
    });
  skillgate
    .command('completion')
    .description('print a script that completes commands and options in a shell')
    .addArgument(new Argument('<shell>', 'the shell').choices(SHELLS))
    .action(async (shell) => (await import('./commands/completion.ts')).completion(shell, skillgate));
  skillgate
    .command('demo')
    .description('index the example skills in memory and answer three questions')
    .action(async () => (await import('./commands/demo.ts')).demo());
  return skillgate;
}

await runProgram(program());
