/** The command line: all commands and their options. A command's code is loaded when it runs. */

import { Argument, Command, Option } from 'commander';
import type { ExtensionEntry } from '../app/extension-api.ts';
import { profileNames } from '../app/load-extensions.ts';
import { packageVersion } from '../app/package-root.ts';
import { runProgram } from './ending.ts';
import { describeCommands, groupCommands } from './help.ts';
import { collect, common, configured, forgiving, share, upTo, wholeNumber } from './options.ts';

/** Runs the command of the process's arguments, with these extensions. */
export const runCommandLine = (extensions: readonly ExtensionEntry[]): Promise<void> =>
  runProgram(createProgram(extensions));

type AddCommand = (usage: string, description: string) => Command;

export function createProgram(extensions: readonly ExtensionEntry[]): Command {
  const profiles = profileNames(extensions);
  const toolsOption = () =>
    new Option('--tools <profile>', 'the tools that clients see').choices(profiles).default(profiles[0]);
  const skillgate = new Command('skillgate')
    .description(
      'Search-first Agent Skills: find the right skill by intent, load it, read the lines you need.',
    )
    .version(packageVersion(), '-v, --version')
    .showHelpAfterError('(skillgate help lists the commands)');
  describeCommands(skillgate);
  // Settings carry the extensions, and are made of the options (`src/app/settings.ts`).
  skillgate.hook('preAction', (_, action) => void action.setOptionValue('extensions', extensions));
  const command = (usage: string, description: string) =>
    common(skillgate.command(usage).description(description));

  readingCommands(command);
  serveCommand(command, toolsOption);
  promptCommands(command, toolsOption);
  configCommands(skillgate);
  cacheCommands(skillgate);
  trustCommand(skillgate);
  policyCommands(skillgate);
  for (const { commands } of extensions)
    commands?.({
      program: skillgate,
      version: packageVersion(),
      command,
      common,
      configured,
      collect,
      wholeNumber,
      upTo,
      share,
      forgiving,
    });
  skillgate
    .command('completion')
    .description('print a script that completes commands and options in a shell')
    .addArgument(new Argument('<shell>', 'the shell').choices(['bash', 'zsh', 'fish', 'powershell']))
    .action(async (shell) => (await import('./commands/completion.ts')).completion(shell, skillgate));
  skillgate
    .command('demo')
    .description('index the example skills in memory and answer three questions')
    .action(async () => (await import('./commands/demo.ts')).demo());
  groupCommands(skillgate);
  return skillgate;
}

/** Commands that index and read the catalog. */
function readingCommands(command: AddCommand): void {
  command('index [dirs...]', 'update the index from the skill folders').action(async (dirs, options) =>
    (await import('./commands/index.ts')).index(dirs, options),
  );
  command('search <query...>', 'find skills by what you want to do')
    .option('-k, --top <n>', 'hits to show (1–50)', upTo(50), 5)
    .option('--cursor <cursor>', 'continue an earlier answer')
    .option('--source <name>', 'only skills of this source; repeat for several', collect)
    .option('--tag <tag>', 'only skills with this tag; repeat for several', collect)
    .option('--has-scripts', 'only skills with scripts')
    .option('--explain', 'show each score with its parts, and why each hit ranks above the next')
    .option('--verbose', 'also show how it was searched, and the cursor of the next page')
    .action(async (query, options) => (await import('./commands/search.ts')).search(query, options));
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
}

function serveCommand(command: AddCommand, toolsOption: () => Option): void {
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
        'text: without structured content and its schemas; auto: text for hosts that show a model the JSON otherwise',
      )
        .choices(['auto', 'text', 'both'])
        .default('auto'),
    )
    .option(
      '--max-answer <characters>',
      'longest answer with the text of a skill (default: what the host shows whole)',
      wholeNumber,
    )
    .option('--no-drafts', 'leave out the older drafts of skills methods')
    .action(async (options) => {
      // Compiled parsers are a tenth of a start, and parse our few messages no faster.
      (await import('zod')).config({ jitless: true });
      return (await import('./commands/serve.ts')).serve(options, packageVersion());
    });
}

/** Commands for prompts. */
function promptCommands(command: AddCommand, toolsOption: () => Option): void {
  command('instructions', 'print how an agent uses these skills, for AGENTS.md and similar files')
    .option('--no-xml', 'without the surrounding element')
    .addOption(toolsOption())
    .action(async (options) => (await import('./commands/instructions.ts')).instructions(options));
  command('context', 'print the skills as a block for a prompt: all, or the nearest to a query')
    .option('--query <text>', 'what the agent is about to do')
    .option('--max-tokens <n>', 'budget of the block (default: no limit; 2000 with --query)', wholeNumber)
    .action(async (options) => (await import('./commands/context.ts')).context(options));
}

function configCommands(skillgate: Command): void {
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

function cacheCommands(skillgate: Command): void {
  const cache = skillgate.command('cache').description('cached indexes, models and copies of sources');
  cache
    .command('list', { isDefault: true })
    .description('print the folder, and what it holds with sizes and last use')
    .option('--json', 'print JSON')
    .action(async (options) => (await import('./commands/cache.ts')).list(options));
  cache
    .command('clean')
    .description(
      'remove what was not used for 60 days: indexes, copies of sources, compiled code of old versions',
    )
    .option('--json', 'print JSON')
    .action(async (options) => (await import('./commands/cache.ts')).clean(options));
}

function trustCommand(skillgate: Command): void {
  skillgate
    .command('trust')
    .description("look at what a project's configuration asks for, and trust it")
    .option('--list', 'list the projects that you trust')
    .option('--revoke [path]', 'stop trusting a project (default: the one here)')
    .option('--yes', 'trust without asking')
    .option('--json', 'print JSON')
    .action(async (options) => (await import('./commands/trust.ts')).trust(options));
}

function policyCommands(skillgate: Command): void {
  const policy = skillgate.command('policy').description('who may see what');
  common(policy.command('explain <principal> [skill]'))
    .description('print what a principal sees, or why it sees a skill; exits with 3 if it does not')
    .option('--scope <scope>', 'a scope of the principal; repeat for several', collect)
    .action(async (principal, skill, options) =>
      (await import('./commands/policy.ts')).explain(principal, skill, options),
    );
}
