/** `skillgate completion`: a script that completes commands and options in a shell, made from the commands themselves. */

import type { Command } from 'commander';
import { printText } from '../output.ts';

type Shell = 'bash' | 'zsh' | 'fish' | 'powershell';

interface Completed {
  readonly name: string;
  readonly description: string;
  /** Subcommands, and options with their dashes. */
  readonly words: readonly { readonly word: string; readonly description: string }[];
}

export function completion(shell: Shell, program: Command): void {
  printText(SCRIPTS[shell](program.createHelp().visibleCommands(program).map(completedBy)));
}

function completedBy(command: Command): Completed {
  const help = command.createHelp();
  const options = help
    .visibleOptions(command)
    .map(({ long, description }) => ({ word: long ?? '', description }));
  const subcommands = help
    .visibleCommands(command)
    .filter((sub) => sub.name() !== 'help')
    .map((sub) => ({ word: sub.name(), description: sub.description() }));
  return {
    name: command.name(),
    description: command.description(),
    words: [...subcommands, ...options.filter(({ word }) => word !== '')],
  };
}

const names = (commands: readonly Completed[]) => commands.map(({ name }) => name).join(' ');
const joinWords = ({ words }: Completed) => words.map(({ word }) => word).join(' ');
const quoted = (text: string) => `'${text.replaceAll("'", '’').replaceAll('\\', '')}'`;

/** Where no word fits, the shell completes names of files. */
const bash = (commands: readonly Completed[]) => `_skillgate() {
  local words
  case "\${COMP_WORDS[1]}" in
${commands.map((command) => `    ${command.name}) words=${quoted(joinWords(command))} ;;`).join('\n')}
  esac
  [ "$COMP_CWORD" -eq 1 ] && words=${quoted(names(commands))}
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _skillgate skillgate`;

const SCRIPTS: Readonly<Record<Shell, (commands: readonly Completed[]) => string>> = {
  bash,
  zsh: (commands) => `autoload -U +X bashcompinit && bashcompinit\n${bash(commands)}`,
  fish: (commands) =>
    commands
      .flatMap(({ name, description, words }) => [
        `complete -c skillgate -n __fish_use_subcommand -a ${name} -d ${quoted(description)}`,
        ...words.map(({ word, description: about }) => {
          const what = word.startsWith('--') ? `-l ${word.slice(2)}` : `-a ${word}`;
          return `complete -c skillgate -n '__fish_seen_subcommand_from ${name}' ${what} -d ${quoted(about)}`;
        }),
      ])
      .join('\n'),
  powershell: (commands) => `Register-ArgumentCompleter -Native -CommandName skillgate -ScriptBlock {
  param($word, $line, $at)
  $words = @{
${commands.map((command) => `    ${quoted(command.name)} = ${quoted(joinWords(command))}`).join('\n')}
  }
  $typed = @($line.CommandElements | ForEach-Object { $_.ToString() })
  $isFirst = $typed.Count -lt 2 -or ($typed.Count -eq 2 -and $word -ne '')
  $all = if ($isFirst) { ${quoted(names(commands))} } else { $words[$typed[1]] }
  -split $all | Where-Object { $_ -like "$word*" } | ForEach-Object { [System.Management.Automation.CompletionResult]::new($_) }
}`,
};
