/**
 * Promise: what README, docs and examples tell readers to type and to paste works with this very program. Commands run in
 * the order of the page; those that cannot run here are listed below with the reason, and checked in another way.
 */

import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse as parseYaml } from 'yaml';
import { examples, root, type Workplace, workplace } from './command.ts';
import { blocks, commandsOf, PAGES, page, wordsOf } from './documents.ts';

let place: Workplace;
beforeAll(() => {
  place = workplace();
  // The folder that agents use: where a page names no folder, its commands find the example skills.
  cpSync(examples, join(place.home, '.claude/skills'), { recursive: true });
});
afterAll(() => place.remove());

/** Commands that do not run as they are shown. */
const EXCEPTIONS: readonly {
  readonly matches: RegExp;
  readonly reason: string;
  readonly check: (command: string) => unknown;
}[] = [
  {
    matches: /^(SKILLGATE_SHARED_DATA=\S+ )?npm /,
    reason: 'installs from the network, changes dist/ under other tests, or runs this suite',
    check: (command) => npmKnows(command.replace(/^SKILLGATE_SHARED_DATA=\S+ /, '')),
  },
  {
    matches: /^npx vitest /,
    reason: 'runs this suite',
    check: (command) => filesExist(wordsOf(command).slice(3, 4)),
  },
  { matches: /^claude /, reason: 'a program that is not installed here', check: startsServer },
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
  { matches: /^skillgate run /, reason: 'needs a sandbox, and scripts to be switched on', check: helpKnows },
];

describe('commands', () => {
  it.each(PAGES.filter((path) => commandsOf(path).length > 0))(
    'of %s run',
    async (path) => {
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
      // README's commands run in a checkout.
      if (page(path).includes('--skills examples/skills'))
        cpSync(examples, join(place.folder, folder, 'examples/skills'), { recursive: true });
      for (const command of commandsOf(path)) {
        const exception = EXCEPTIONS.find(({ matches }) => matches.test(command));
        const instead = exception === undefined ? command : await exception.check(command);
        if (typeof instead === 'string') await runs(folder, instead);
      }
    },
    120_000,
  );

  it('are there to check, and no exception is out of date', () => {
    const all = PAGES.flatMap(commandsOf);
    expect(all.length).toBeGreaterThan(40);
    expect(EXCEPTIONS.filter(({ matches }) => !all.some((command) => matches.test(command)))).toEqual([]);
  });

  async function runs(folder: string, command: string) {
    const { code, stdout, stderr } = await place.shell(
      `skillgate() { $SKILLGATE "$@"; }; export PLATFORM_TOKEN=x ACME_TOKEN=x; cd ${folder} && ${command}`,
    );
    expect({ command, code, stderr: code === 0 ? '' : stderr }).toEqual({ command, code: 0, stderr: '' });
    if (command.startsWith('skillgate search')) expect(stdout).toMatch(/^ 1\. \S+/m);
  }

  it.each(PAGES.filter((path) => blocks(path, 'bash').length > 0))('of scripts in %s parse', (path) => {
    for (const script of blocks(path, 'bash')) shellParses(script);
  });

  it('of the examples’ scripts run', () => {
    const [script = ''] = blocks('examples/README.md', 'bash');
    const { status, stderr } = spawnSync('bash', ['-e', '-c', script], { cwd: root, encoding: 'utf8' });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  });
});

describe('docs/cli.md', () => {
  const text = page('docs/cli.md');
  const shown = Array.from(text.matchAll(/^\| `(skillgate [^`]*)`/gm), ([, command = '']) => command);

  it.each(shown)('%s: the command and its options exist, required ones are given', helpKnows);

  it('lists every command that exists', async () => {
    const { stdout } = await place.run('--help');
    const names = Array.from(stdout.matchAll(/^ {2}([a-z]+) .*\[options\]/gm), ([, name]) => name);
    expect(names).toContain('serve');
    expect(new Set(shown.map((command) => command.split(' ')[1]))).toEqual(
      new Set([...names, 'completion', 'demo']),
    );
    for (const group of ['cache', 'config', 'sources', 'policy', 'token']) {
      expect(stdout).toMatch(new RegExp(`^ {2}${group} `, 'm'));
      expect(text).toContain(`\`skillgate ${group}\``);
    }
  });

  it('lists common options and exit codes as the program has them', async () => {
    const { stdout } = await place.run('list', '--help');
    const options = Array.from(text.matchAll(/`(--[a-z]+)[^`]*`(?=.* \|)/g), ([, flag = '']) => flag);
    const common = [
      '--skills',
      '--index',
      '--embedder',
      '--vectors',
      '--json',
      '--config',
      '--set',
      '--frozen',
    ];
    expect(options).toEqual(expect.arrayContaining(common));
    for (const flag of common) expect(stdout).toContain(`${flag} `);
    const numbers = (from: string) =>
      /Exit codes: ([^.]*)\./.exec(from.replace(/\s+/g, ' '))?.[1]?.match(/\d/g);
    expect(numbers(text)).toEqual(numbers((await place.run('--help')).stdout));
  });
});

describe('docs/languages.md', () => {
  it('shows a configuration that names the model of its commands', async () => {
    const [shownFile = ''] = blocks('docs/languages.md', 'json');
    place.write('languages/skillgate.config.json', shownFile);
    const { code, stdout } = await place.runIn('languages', 'config', 'check', '--json');
    const [, model = ''] = /--embedder (\S+)/.exec(page('docs/languages.md')) ?? [];
    expect({ code, model }).toEqual({ code: 0, model: 'Xenova/multilingual-e5-small' });
    expect(stdout).toContain(model);
  });

  it('quotes the program: what a query in another language gets', async () => {
    cpSync(examples, join(place.folder, 'languages/skills'), { recursive: true });
    rmSync(join(place.folder, 'languages/skillgate.config.json'), { force: true });
    const query = 'Necesito desplegar la aplicación sin cortar las conexiones de los usuarios';
    const { stdout } = await place.runIn('languages', 'search', '--skills', 'skills', query);
    const [, quoted = ''] = blocks('docs/languages.md', 'text');
    expect(stdout).toContain(quoted.trim());
  });
});

describe('docs/learning.md', () => {
  it('quotes the program: the same request before and after another one was learned', async () => {
    place.write('learning/.keep', '');
    const [before, after] = commandsOf('docs/learning.md');
    const [first = '', second = ''] = blocks('docs/learning.md', 'text');
    const ranks = async (command: string | undefined) => {
      const { stdout } = await place.shell(`skillgate() { $SKILLGATE "$@"; }; cd learning && ${command}`);
      return stdout.match(/^ ?\d+\. .*$/gm)?.join('\n');
    };
    expect(await ranks(`skillgate forget --all && ${before}`)).toBe(first.trimEnd());
    const [, request = ''] = /agent searches "(.*?)"/.exec(page('docs/learning.md')) ?? [];
    const [, skill = ''] = /loads `(.*?)`/.exec(page('docs/learning.md')) ?? [];
    const client = new Client({ name: 'acceptance', version: '1' });
    const server = { ...place.server('--set', 'learn=true'), cwd: join(place.folder, 'learning') };
    await client.connect(new StdioClientTransport(server));
    await client.callTool({ name: 'search_skills', arguments: { query: request } });
    await client.callTool({ name: 'load_skill', arguments: { skill } });
    await client.close();
    expect(await ranks(after)).toBe(second.trimEnd());
    // Off, what was learned changes nothing.
    expect(await ranks(before)).toBe(first.trimEnd());
  });

  it('shows configurations that the program takes', async () => {
    const [json = '', yaml = ''] = [
      ...blocks('docs/learning.md', 'json'),
      ...blocks('docs/learning.md', 'yaml'),
    ];
    for (const [file, text] of [
      ['skillgate.config.json', json],
      ['skillgate.config.yaml', yaml],
    ] as const) {
      place.write(`learn-${file}/${file}`, text);
      const { code, stdout } = await place.runIn(`learn-${file}`, 'config', 'check', '--json');
      expect(code).toBe(0);
      expect(stdout).toMatch(/"enabled": true/);
    }
  });
});

describe('docs/library.md', () => {
  it('shows a program that runs', async () => {
    const [program = ''] = blocks('docs/library.md', 'js');
    const runnable = program.replace(
      "'skillgate'",
      JSON.stringify(pathToFileURL(join(root, 'dist/public.js')).href),
    );
    place.write('library/program.mjs', runnable);
    cpSync(examples, join(place.folder, 'library/skills'), { recursive: true });
    const { code, stdout, stderr } = await place.shell('cd library && node program.mjs');
    expect({ code, stderr }).toMatchObject({ code: 0 });
    expect(stdout).toContain('email-deliverability 0.');
    expect(stdout).toMatch(/^# /m);
  });
});

/** How a host would start the server. */
interface Started {
  readonly command: string;
  readonly args: readonly string[];
}

const startedBy = (value: unknown): readonly Started[] => {
  if (typeof value !== 'object' || value === null) return [];
  return 'args' in value ? [value as Started] : Object.values(value).flatMap(startedBy);
};

/** How a host would reach a server over HTTP. */
const reachedBy = (value: unknown): readonly { readonly url: string; readonly headers?: object }[] => {
  if (typeof value !== 'object' || value === null) return [];
  return 'url' in value && !('kind' in value)
    ? [value as { url: string }]
    : Object.values(value).flatMap(reachedBy);
};

describe('settings', () => {
  const schema: { properties: object } = JSON.parse(
    readFileSync(join(root, 'docs/skillgate.config.schema.json'), 'utf8'),
  );
  /** Keys of files of other programs, and of the small configuration that a test of its own tries. */
  const OTHERS = new Set(['groups', 'hooks', 'metadata', 'scrape_configs', 'skills', 'steps']);

  const values = PAGES.flatMap((path) => [
    ...blocks(path, 'json').map((text) => ({ path, text, value: JSON.parse(text) as object })),
    ...blocks(path, 'yaml').map((text) => ({ path, text, value: parseYaml(text) as object })),
  ]);
  const hosts = values.flatMap(({ value }) => startedBy(value).filter(({ args }) => args.includes('serve')));
  const configurations = values.filter(({ value }) =>
    Object.keys(value).every((key) => key in schema.properties || key === '$schema'),
  );

  it('are all a configuration, a host’s file, or known to be neither', () => {
    const rest = values.filter(
      (shown) =>
        !configurations.includes(shown) &&
        startedBy(shown.value).length === 0 &&
        reachedBy(shown.value).length === 0 &&
        !Object.keys(shown.value).some((key) => OTHERS.has(key)),
    );
    expect(rest).toEqual([]);
  });

  it('for hosts start the server', () => {
    expect(hosts.length).toBeGreaterThanOrEqual(2);
    for (const { command, args } of hosts)
      expect([command, ...args].slice(0, 2)).toEqual(['skillgate', 'serve']);
    expect(page('README.md')).toContain('`npx -y skillgate`');
    expect(page('docs/hosts.md')).toContain('`npx -y skillgate serve`');
  });

  it('for hosts reach a gateway with a token', () => {
    const gateways = values
      .filter((shown) => !configurations.includes(shown))
      .flatMap(({ value }) => reachedBy(value));
    expect(gateways.length).toBeGreaterThanOrEqual(1);
    for (const { url, headers } of gateways) {
      expect(url).toMatch(/^https:\/\/.*\/mcp$/);
      expect(headers).toMatchObject({ Authorization: expect.stringMatching(/^Bearer sgt_/) });
    }
  });

  it.each(configurations.map(({ path, text }, at) => ({ path, text, at })))(
    'of $path are a valid configuration ($at)',
    async ({ text, at }) => {
      const file = text.trimStart().startsWith('{') ? 'c.json' : 'c.yaml';
      const path = place.write(`configuration-${at}/${file}`, text);
      const { code, stderr } = await place.runWith(
        { PLATFORM_TOKEN: 'x', ACME_TOKEN: 'x' },
        ...['config', 'check', '--config', path],
      );
      expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.not.stringMatching(/:\d+:\d+:/) });
    },
  );
});

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
  for (const flag of flags) expect(help).toMatch(new RegExp(`(^|[\\s,])${flag}[\\s,=]`, 'm'));
  const wanted = [...(/Usage: .*/.exec(help)?.[0] ?? '').matchAll(/<[a-z.]+>/g)].length;
  const given = rest.slice(name.length, end).filter((word, at, all) => isArgument(word, all[at - 1]));
  expect(given.length).toBeGreaterThanOrEqual(wanted);
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
async function startsServer(command: string): Promise<void> {
  shellParses(command);
  if (command.includes('--transport http')) expect(command).toMatch(/ https:\/\/\S+\/mcp( |$)/);
  else await helpKnows(command.slice(command.indexOf(' -- ') + 4));
}

function shellParses(script: string): void {
  expect(spawnSync('bash', ['-n', '-c', script], { encoding: 'utf8' }).stderr).toBe('');
}
