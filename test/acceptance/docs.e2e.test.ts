/**
 * Promise: what README, docs and examples tell readers to type and to paste works with this very program. Commands run in
 * the order of the page; those that cannot run here are listed in `document-commands.ts` with the reason, and checked in another way.
 */

import { spawnSync } from 'node:child_process';
import { cpSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { parse as parseYaml } from 'yaml';
import { needsThat } from '../needs.ts';
import { connected } from './client.ts';
import { examples, root, workplace } from './command.ts';
import { documentCommands, expectSuccess, PAGES_WITH_COMMANDS, shellParses } from './document-commands.ts';
import { blocks, commandsOf, PAGES, page } from './documents.ts';

/** With skills in the folder that agents use: where a page names no folder, its commands find the example skills. */
function placeWithSkills() {
  const place = workplace();
  cpSync(examples, join(place.home, '.claude/skills'), { recursive: true });
  return place;
}

const place = placeWithSkills();
const commands = documentCommands(place);

describe('commands', () => {
  it.each(PAGES_WITH_COMMANDS)(
    'of %s run',
    // In a place of its own: commands that make or add something do so once.
    (path) =>
      documentCommands(placeWithSkills()).run(path, (ran) => {
        expectSuccess(ran);
        if (ran.command.startsWith('skillgate search')) expect(ran.stdout).toMatch(/^ 1\. \S+/m);
      }),
  );

  it('are there to check, and no exception is out of date', () => {
    const all = PAGES.flatMap(commandsOf);
    expect(all.length).toBeGreaterThan(40);
    expect(commands.exceptions.filter((matches) => !all.some((command) => matches.test(command)))).toEqual(
      [],
    );
  });

  it.each(PAGES.filter((path) => blocks(path, 'bash').length > 0))('of scripts in %s parse', (path) => {
    for (const script of blocks(path, 'bash')) shellParses(script);
  });

  it('of the examples’ scripts run', needsThat(spawnSync('python3', ['-V']).status === 0, 'python3'), () => {
    const [script = ''] = blocks('examples/README.md', 'bash');
    const { status, stderr } = spawnSync('bash', ['-e', '-c', script], { cwd: root, encoding: 'utf8' });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  });
});

describe('README.md', () => {
  it('quotes the program: what the demo prints first of all', async () => {
    const [example = ''] = blocks('README.md', 'text');
    expect(example).toMatch(/^search_skills\(/);
    expect((await place.run('demo')).stdout).toContain(example);
  });
});

describe('docs/cli.md', () => {
  const text = page('docs/cli.md');
  const shown = Array.from(text.matchAll(/^\| `(skillgate [^`]*)`/gm), ([, command = '']) => command);

  it.each(shown)('%s: the command and its options exist, required ones are given', (command) =>
    commands.helpKnows(command),
  );

  it('lists every command that exists', async () => {
    const { stdout } = await place.run('--help');
    const names = Array.from(stdout.matchAll(/^ {2}([a-z]+) .* {2,}\S/gm), ([, name = '']) => name);
    expect(names).toContain('serve');
    const groups = ['cache', 'config', 'sources', 'policy', 'token', 'store', 'requests'];
    const single = names.filter((name) => !groups.includes(name) && name !== 'help');
    expect(shown.map((command) => command.split(' ')[1])).toEqual(expect.arrayContaining(single));
    expect(names).toEqual(expect.arrayContaining(groups));
    for (const group of groups) expect(text).toContain(`skillgate ${group}`);
  });

  it('lists common options and exit codes as the program has them', async () => {
    const { stdout } = await place.run('index', '--help');
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
    const quoted = blocks('docs/languages.md', 'text').find((text) => text.startsWith('The query is in'));
    expect(quoted).toBeDefined();
    expect(stdout).toContain(quoted?.trim());
  });
});

describe('docs/learning.md', () => {
  it('quotes the program: the same request before and after another one was learned', async () => {
    cpSync(examples, join(place.folder, 'learning/examples/skills'), { recursive: true });
    const [before, after] = commandsOf('docs/learning.md');
    const [first = '', second = ''] = blocks('docs/learning.md', 'text');
    const ranks = async (command: string | undefined) => {
      const { stdout } = await place.shell(`skillgate() { $SKILLGATE "$@"; }; cd learning && ${command}`);
      return stdout.match(/^ ?\d+\. .*$/gm)?.join('\n');
    };
    expect(await ranks(`skillgate forget --all --skills examples/skills && ${before}`)).toBe(first.trimEnd());
    const [, request = ''] = /agent searches "(.*?)"/.exec(page('docs/learning.md')) ?? [];
    const [, skill = ''] = /loads `(.*?)`/.exec(page('docs/learning.md')) ?? [];
    const server = {
      ...place.server('--skills', 'examples/skills', '--set', 'learn=true'),
      cwd: join(place.folder, 'learning'),
    };
    const client = await connected(server);
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
    expect(stdout).toContain('email-deliverability: ');
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
  const OTHERS = new Set(['evals', 'groups', 'hooks', 'metadata', 'scrape_configs', 'skills', 'steps']);

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
