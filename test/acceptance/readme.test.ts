/** Promise: the commands and snippets of README.md work with this program. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse as parseYaml } from 'yaml';
import { examples, root, type Workplace, workplace } from './command.ts';

const readme = readFileSync(join(root, 'README.md'), 'utf8');
const manifest: { scripts: Record<string, string> } = JSON.parse(
  readFileSync(join(root, 'package.json'), 'utf8'),
);

const blocks = (language: string) =>
  Array.from(readme.matchAll(/^```(\w+)\n(.*?)^```$/gms), ([, name = '', text = '']) => ({ name, text }))
    .filter(({ name }) => name === language)
    .map(({ text }) => text);

/** Every command of the sh blocks as words, without its comment; `a && b` is two. */
const commands = blocks('sh')
  .flatMap((text) => text.split('\n'))
  .flatMap((line) => line.replace(/\s#.*$/, '').split('&&'))
  .map((line) => Array.from(line.matchAll(/"([^"]*)"|(\S+)/g), ([word, quoted]) => quoted ?? word))
  .filter((words) => words.length > 0);

/** The arguments of a command that starts skillgate, in any way; null for other commands. */
function saidToSkillgate(words: readonly string[]): readonly string[] | null {
  // The last one: `claude mcp add skillgate -- npx -y skillgate serve` has another `skillgate` before it.
  const at = words.findLastIndex((word) => /(^|\/)skillgate(\.js)?$/.test(word));
  return at === -1 ? null : words.slice(at + 1);
}

const said = commands.flatMap((words) => {
  const rest = saidToSkillgate(words);
  return rest === null ? [] : [{ line: words.join(' '), rest }];
});

let place: Workplace;
beforeAll(() => {
  place = workplace();
});
afterAll(() => place.remove());

describe('README.md', () => {
  it('has commands to check', () => {
    expect(said.length).toBeGreaterThan(10);
    expect(commands.length).toBeGreaterThan(said.length);
  });

  it.each(said)('$line: the command and its options exist, required ones are given', async ({ rest }) => {
    const [command = ''] = rest;
    const { code, stdout: help } = await place.run(command, '--help');
    expect(code).toBe(0);
    expect(help).toContain(`Usage: skillgate ${command}`);
    const flags = rest
      .map((word) => /^\[?(--?[a-z][a-z-]*)/.exec(word)?.[1])
      .filter((flag) => flag !== undefined);
    for (const flag of flags) expect(help).toMatch(new RegExp(`(^|[\\s,])${flag}[\\s,=]`, 'm'));
    const wanted = [.../Usage: .*/.exec(help)![0].matchAll(/<[a-z.]+>/g)].length;
    const given = rest.slice(1).filter((word, at, all) => isArgument(word, all[at - 1]));
    expect(given.length).toBeGreaterThanOrEqual(wanted);
  });

  it.each(commands.filter(([first]) => first === 'npm'))('npm %s %s is there', (_, verb = '', name = '') => {
    const builtIn = ['ci', 'install'].includes(verb);
    const script = verb === 'run' ? name : verb;
    expect(builtIn || Object.hasOwn(manifest.scripts, script)).toBe(true);
  });

  it('runs the searches it shows', async () => {
    const shown = said.filter(({ rest }) => rest[0] === 'search' && !rest.includes('QUERY…'));
    expect(shown.length).toBeGreaterThan(0);
    for (const { rest } of shown) {
      const own = rest.map((word) => (word.startsWith('~') ? examples : word));
      const { code, stdout } = await place.run(...own);
      expect(code).toBe(0);
      expect(stdout).toMatch(/^ 1\. \S+/m);
    }
  });

  it('documents every common option and exit code', async () => {
    const { stdout } = await place.run('list', '--help');
    const common = ['--skills', '--index', '--embedder', '--vectors', '--json'];
    for (const flag of common) {
      expect(readme).toContain(`\`${flag}`);
      expect(stdout).toContain(flag);
    }
    const codes = /Exit codes: (.*)\./.exec((await place.run('--help')).stdout)![1]!;
    const numbers = Array.from(codes.matchAll(/\d/g), String);
    const sentence = /Exit codes: ([^.]*)\./.exec(readme.replace(/\s+/g, ' '))![1]!;
    expect(Array.from(sentence.matchAll(/\d/g), String)).toEqual(numbers);
  });

  it('lists every command that there is but the demo', async () => {
    const { stdout } = await place.run('--help');
    const names = Array.from(stdout.matchAll(/^ {2}([a-z]+) .*\[options\]/gm), ([, name]) => name);
    expect(names).toContain('serve');
    expect(new Set(said.map(({ rest }) => rest[0]))).toEqual(new Set(names));
  });

  it('shows a configuration of a team that passes its check, and commands that belong to it', async () => {
    const [config] = blocks('yaml').filter((text) => text.startsWith('sources:'));
    place.write('team/skillgate.config.yaml', config!);
    const check = await place.shell(
      'cd team && PLATFORM_TOKEN=x $SKILLGATE config check --json && ' +
        '$SKILLGATE token create alice --scope finance --expires 90d && $SKILLGATE token list --json',
    );
    expect(check.stderr).not.toMatch(/:\d+:\d+:/);
    expect(check.code).toBe(0);
    expect(check.stdout).toContain('sgt_');
    const typed = blocks('console').flatMap((text) => text.match(/^\$ skillgate .*$/gm) ?? []);
    expect(typed).toHaveLength(4);
    for (const line of typed) {
      const [, command = '', sub = ''] = line.slice(2).split(' ');
      const asked = sub.startsWith('-') ? [command] : [command, sub];
      const { code, stdout } = await place.run(...asked, '--help');
      expect([line, code]).toEqual([line, 0]);
      for (const flag of line.match(/--[a-z-]+/g) ?? []) expect(stdout).toContain(flag);
    }
  });

  /** How a client would start the server, whatever its file is called. */
  interface Started {
    readonly command?: string;
    readonly cmd?: string;
    readonly args: readonly string[];
  }
  const startedBy = (value: unknown): Started[] => {
    if (typeof value !== 'object' || value === null) return [];
    return 'args' in value ? [value as Started] : Object.values(value).flatMap(startedBy);
  };

  it('shows configurations that parse and start the server', () => {
    const toml = blocks('toml').map((text) =>
      Object.fromEntries(
        text
          .split('\n')
          .map((line) => /^(\w+) = (.*)$/.exec(line))
          .flatMap((match) => (match === null ? [] : [[match[1], JSON.parse(match[2]!)]])),
      ),
    );
    const values = [
      ...blocks('json').map((text) => JSON.parse(text)),
      ...blocks('yaml').map((text) => parseYaml(text)),
      ...toml,
    ];
    const started = values.flatMap(startedBy);
    expect(started.length).toBeGreaterThanOrEqual(4);
    for (const { command, cmd, args } of started) {
      expect(command ?? cmd).toBe('npx');
      expect(args.slice(0, 3)).toEqual(['-y', 'skillgate', 'serve']);
    }
  });

  it('shows a .skillgate.json that the program takes', async () => {
    const shown = /`\.skillgate\.json` \(`(\{.*?\})`\)/.exec(readme)![1]!;
    // `…` is a value that the reader fills in.
    const own = JSON.parse(shown.replaceAll('"…"', '""'));
    place.write('configured/.skillgate.json', JSON.stringify(own));
    place.write('configured/skills/a/SKILL.md', '---\nname: a\ndescription: First.\n---\n');
    const { code, stdout, stderr } = await place.shell('cd configured && $SKILLGATE list');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/^a {2}First\./);
  });

  it('leads to files that exist', () => {
    const links = Array.from(readme.matchAll(/\]\((?!https?:)([^)#]+)\)/g), ([, path]) => path!);
    expect(links.length).toBeGreaterThan(0);
    for (const path of links) expect(() => readFileSync(join(root, path))).not.toThrow();
  });
});

/** Words that are neither an option, nor its value, nor an optional part in brackets. */
function isArgument(word: string, before: string | undefined): boolean {
  if (/^[[-]/.test(word) || word.endsWith(']')) return false;
  return before === undefined || !/^--?[a-z]/.test(before);
}
