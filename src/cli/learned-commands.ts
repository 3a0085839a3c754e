/** The commands for what was learned from use. */

import { type Command, Option } from 'commander';
import { common } from './options.ts';

export function learnedCommands(skillgate: Command): void {
  const learned = skillgate.command('learned').description('what search learned from what agents load');
  const command = (usage: string, description: string) =>
    common(learned.command(usage).description(description));
  command('list', 'list the skills with a history').action(async (options) =>
    (await import('./commands/learned.ts')).list(options),
  );
  command('show <skill>', 'print the requests that a skill was loaded for').action(async (skill, options) =>
    (await import('./commands/learned.ts')).show(skill, options),
  );
  command('mark <skill> <verdict>', 'say that a skill is useful or wrong for a request')
    .requiredOption('--query <request>', 'the request, as an agent would ask')
    .action(async (skill, verdict, options) =>
      (await import('./commands/learned.ts')).mark(skill, verdict, options),
    );
  command('forget [skill]', 'forget a skill, a request, what a principal taught, or everything')
    .option('--request <request>', 'only this request')
    .option('--principal <name>', 'only what this principal taught')
    .addOption(new Option('--all', 'everything').conflicts(['request', 'principal']))
    .action(async (skill, options) => (await import('./commands/learned.ts')).forget(skill, options));
  command('export', 'print everything, one JSON object a line').action(async (options) =>
    (await import('./commands/learned.ts')).exportAll(options),
  );
  command('import <file>', 'add what was exported').action(async (file, options) =>
    (await import('./commands/learned.ts')).importFile(file, options),
  );
}
