/**
 * How the commands of documentation pages are tried: the folder that a page expects, the commands that cannot run as they are
 * shown, with the reason and another check, and what `--help` knows.
 */

import { spawnSync } from 'node:child_process';
import { cpSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { parse as parseYaml } from 'yaml';
import { examples, type Outcome, root, type Workplace } from './command.ts';
import { blocks, commandsOf, PAGES, page, wordsOf } from './documents.ts';

export const PAGES_WITH_COMMANDS = PAGES.filter((path) => commandsOf(path).length > 0);

/** Makes the folder in which the commands of that page run, and returns its name. */
function prepare(place: Workplace, path: string): string {
  const folder = path.replaceAll(/\W/g, '-');
  const [configuration] = blocks(path, 'yaml').filter((text) => /^sources:/m.test(text));
  if (configuration !== undefined) {
    place.write(`${folder}/skillgate.config.yaml`, configuration);
    // Folders that a page names have to be there.
    const { sources } = parseYaml(configuration) as { sources: readonly { root?: string }[] };
    for (const { root: named } of sources)
      if (named !== undefined) place.write(`${folder}/${named}/.keep`, '');
    cpSync(examples, join(place.folder, folder, 'skills'), { recursive: true });
  }
  // What the pages' commands expect to find.
  place.write(`${folder}/vendor/second.zip`, '');
  place.write(`${folder}/config/skillgate.config.json`, '{}');
  place.write(`${folder}/queries.jsonl`, '{"_id": "q1", "text": "roll back a bad database migration"}\n');
  place.write(`${folder}/qrels.tsv`, 'query-id\tcorpus-id\tscore\nq1\tzero-downtime-schema-migration\t3\n');
  // A host that \`connect\` finds.
  place.write('home/.cursor/mcp.json', '{}');
  // README's commands run in a checkout.
  if (page(path).includes('--skills examples/skills'))
    cpSync(examples, join(place.folder, folder, 'examples/skills'), { recursive: true });
  return folder;
}

/** Runs a page's command in its folder. */
const runIn = (place: Workplace, folder: string, command: string) =>
  place.shell(
    `skillgate() { $SKILLGATE "$@"; }; export PLATFORM_TOKEN=x ACME_TOKEN=x; cd ${folder} && ${command}`,
  );

/** Commands that do not run as they are shown. */
const exceptionsOf = (
  helpKnows: (command: string) => Promise<void>,
): readonly {
  readonly matches: RegExp;
  readonly reason: string;
  readonly check: (command: string) => unknown;
}[] => [
  {
    matches: /^(SKILLGATE_SHARED_DATA=\S+ )?npm /,
    reason: 'installs from the network, changes dist/ under other tests, or runs this suite',
    check: (command) => npmKnows(command.replace(/^SKILLGATE_SHARED_DATA=\S+ /, '')),
  },
  {
    matches: /^node dist\/skillgate\.cjs /,
    reason: 'runs in a checkout; the same program runs instead',
    check: (command) => command.replace('node dist/skillgate.cjs', 'skillgate'),
  },
  {
    matches: /^npx vitest /,
    reason: 'runs this suite',
    check: (command) => filesExist(wordsOf(command).slice(3, 4)),
  },
  {
    matches: /^claude /,
    reason: 'a program that is not installed here',
    check: (command) => startsServer(command, helpKnows),
  },
  { matches: /^docker /, reason: 'a program that is not installed here', check: shellParses },
  {
    matches: /^skillgate sources add /,
    reason: 'fetches from the network; with --no-fetch it only edits the configuration',
    check: (command) => command.replace('sources add', 'sources add --no-fetch'),
  },
  { matches: /^skillgate sources refresh/, reason: 'fetches from the network', check: helpKnows },
  {
    matches: /^skillgate serve --http/,
    reason: 'serves until it is ended, on a fixed port',
    check: helpKnows,
  },
  {
    matches: /^skillgate .*--embedder /,
    reason: 'downloads a model; it runs with the shipped one',
    check: (command) => command.replace(/--embedder \S+ ?/, ''),
  },
  {
    matches: /^skillgate trust$/,
    reason: 'asks, and exits with 7 where nobody can answer',
    check: (command) => `${command} || [ $? = 7 ]`,
  },
  { matches: /^skillgate store /, reason: 'needs a database server', check: helpKnows },
  {
    matches: /^pg_(dump|restore) /,
    reason: 'needs a database server, as in store-faults.test.ts',
    check: shellParses,
  },
  { matches: /^curl /, reason: 'needs a server, as in ard.e2e.test.ts', check: shellParses },
  { matches: /^skillgate run /, reason: 'needs a sandbox, and scripts to be switched on', check: helpKnows },
];

export function documentCommands(place: Workplace) {
  const helps = new Map<string, Promise<string>>();

  /** What `--help` prints for a command; asked once. */
  function helpOf(name: readonly string[]): Promise<string> {
    const command = name.join(' ');
    const asked = async () => {
      const { code, stdout } = await place.run(...name, '--help');
      expect({ command, code }).toEqual({ command, code: 0 });
      return stdout;
    };
    const help = helps.get(command) ?? asked();
    helps.set(command, help);
    return help;
  }

  /** The command, its options and its required arguments are those of its --help. */
  async function helpKnows(command: string): Promise<void> {
    const rest = wordsOf(command).slice(1);
    const groups = ['config', 'sources', 'policy', 'token', 'store'];
    const name = rest.slice(0, groups.includes(rest[0] ?? '') ? 2 : 1);
    const help = await helpOf(name);
    expect(help).toContain(`Usage: skillgate ${name.join(' ')}`);
    const end = rest.includes('--') ? rest.indexOf('--') : rest.length;
    const flags = rest.slice(0, end).flatMap((word) => /^\[?(--?[a-z][a-z0-9-]*)/.exec(word)?.[1] ?? []);
    // Options of every command that few need.
    const common = await helpOf(['index']);
    for (const flag of flags) expect(help + common).toMatch(new RegExp(`(^|[\\s,])${flag}[\\s,=]`, 'm'));
    const wanted = [...(/Usage: .*/.exec(help)?.[0] ?? '').matchAll(/<[a-z.]+>/g)].length;
    const given = rest.slice(name.length, end).filter((word, at, all) => isArgument(word, all[at - 1]));
    expect(given.length).toBeGreaterThanOrEqual(wanted);
  }

  const exceptions = exceptionsOf(helpKnows);
  return {
    helpKnows,
    exceptions: exceptions.map(({ matches }) => matches),
    /** Runs the commands of a page in their order, or checks them in another way; `judge` gets what those that ran did. */
    async run(path: string, judge: (ran: Outcome & { readonly command: string }) => void): Promise<void> {
      const folder = prepare(place, path);
      for (const command of commandsOf(path)) {
        const exception = exceptions.find(({ matches }) => matches.test(command));
        const instead = exception === undefined ? command : await exception.check(command);
        if (typeof instead === 'string')
          judge({ command: instead, ...(await runIn(place, folder, instead)) });
      }
    },
  };
}

export function expectSuccess({
  command,
  code,
  stderr,
}: Pick<Outcome, 'code' | 'stderr'> & { readonly command: string }) {
  expect({ command, code, stderr: code === 0 ? '' : stderr }).toEqual({ command, code: 0, stderr: '' });
}

/** Words that are neither an option, nor its value, nor an optional part in brackets. */
function isArgument(word: string, before: string | undefined): boolean {
  if (/^[[-]/.test(word) || word.endsWith(']')) return false;
  return before === undefined || !/^--?[a-z]/.test(before);
}

function npmKnows(command: string): void {
  const [, verb = '', name = ''] = wordsOf(command);
  const manifest: { scripts: object; bin: Record<string, string> } = JSON.parse(page('package.json'));
  if (verb === 'i') {
    expect(command).toBe('npm i -g .');
    filesExist(Object.values(manifest.bin));
  } else if (verb !== 'ci') expect(manifest.scripts).toHaveProperty([verb === 'run' ? name : verb]);
}

function filesExist(paths: readonly string[]): void {
  expect(paths.length).toBeGreaterThan(0);
  for (const path of paths) expect(existsSync(join(root, path)), path).toBe(true);
}

/** What follows `--` starts the server; without it, the server is one at a URL. */
async function startsServer(command: string, helpKnows: (command: string) => Promise<void>): Promise<void> {
  shellParses(command);
  if (command.includes('--transport http')) expect(command).toMatch(/ https:\/\/\S+\/mcp( |$)/);
  else await helpKnows(command.slice(command.indexOf(' -- ') + 4));
}

export function shellParses(script: string): void {
  expect(spawnSync('bash', ['-n', '-c', script], { encoding: 'utf8' }).stderr).toBe('');
}
