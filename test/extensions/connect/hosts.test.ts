/** Every host, with its file missing, empty, with comments, broken and read-only: the promises of `connect` hold for each. */

import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { readHostText, valueAt, withSettings } from '../../../extensions/connect/edit.ts';
import type { Format, Host, Setting } from '../../../extensions/connect/host.ts';
import { findHost, HOSTS } from '../../../extensions/connect/hosts.ts';
import { installedHosts } from '../../../extensions/connect/installed.ts';
import { findFirstLocation, type Scope, type System } from '../../../extensions/connect/locations.ts';
import {
  backupFile,
  findConnection,
  findHookCommand,
  isListHidden,
  planConnect,
  planRemove,
} from '../../../extensions/connect/plan.ts';
import { applyChange, checkWritable } from '../../../extensions/connect/write.ts';
import { temporaryFolder } from '../../temporary-folder.ts';

let folder: string;
let system: System;
beforeEach(() => {
  folder = temporaryFolder();
  system = { platform: 'linux', home: join(folder, 'home'), project: join(folder, 'project'), env: {} };
});

const launch = { command: '/usr/bin/node', args: ['/opt/skillgate/dist/skillgate.cjs', 'serve'] };
const installed = () => installedHosts(system).map(({ id }) => id);
const cases = HOSTS.flatMap((host) =>
  (Object.keys(host.files) as Scope[]).map((scope) => [host.id, scope, host] as const),
);

const COMMENTED: Readonly<Record<Format, string>> = {
  json: '// mine\n{\n  "first": [1, 2], // kept\n  /* servers */\n  "last": { "x": true }\n}\n',
  toml: '# mine\nfirst = 1   # kept\n\n[last]\nx = true\n',
  yaml: '# mine\nfirst: 1   # kept\nlast:\n  x: true\n# end\n',
};
const BROKEN: Readonly<Record<Format, string>> = { json: '{ "a": ', toml: 'a = [', yaml: 'a: [1,\nb: }' };

const fileOf = (host: Host, scope: Scope) => findFirstLocation(host.files[scope] ?? [], system);

function put(file: string, text: string) {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

function run(host: Host, scope: Scope, hide = true, hook?: string) {
  const changes = planConnect(host, scope, system, { launch, hide, hook, names: [] }).filter(
    ({ before, after }) => before !== after,
  );
  checkWritable(changes);
  for (const change of changes) applyChange(change, true);
  return changes;
}

function undo(host: Host, scope: Scope) {
  const changes = planRemove(host, scope, system);
  for (const change of changes) applyChange(change, false);
  return changes;
}

describe.each(cases)('%s (%s)', (_, scope, host) => {
  it('creates the file, and removes it again', () => {
    const changes = run(host, scope);
    const connection = findConnection(host, scope, system);
    expect(connection?.entry).toEqual({ ...host.entry(launch) });
    expect(run(host, scope)).toEqual([]);
    undo(host, scope);
    for (const { file } of changes) {
      expect(existsSync(file)).toBe(false);
      expect(existsSync(backupFile(file))).toBe(false);
    }
    expect(findConnection(host, scope, system)).toBeNull();
    // Nor any folder that was made, by which the host would count as installed.
    expect(existsSync(system.home) || existsSync(system.project)).toBe(false);
  });

  it('changes the command of an entry that is there, keeps its keys and options, and --remove takes it away', () => {
    const file = fileOf(host, scope);
    put(file, COMMENTED[host.format]);
    const place: Omit<Setting, 'value'> =
      host.listsServers === true
        ? { path: host.servers, append: true }
        : { path: [...host.servers, 'skillgate'] };
    const { command: _, args: __, cmd: ___, ...own } = host.entry(launch);
    const old = { command: 'old', args: ['old.js', 'serve', '--skills', '/s', '--frozen'] };
    const kept = { ...own, ...(host.format === 'toml' ? {} : { env: { A: 'b' } }), timeout: 77 };
    const theirs = { ...host.entry(old), ...kept };
    put(
      file,
      withSettings({ file, format: host.format, text: COMMENTED[host.format] }, [
        { ...place, value: theirs },
      ]),
    );
    const changes = planConnect(host, scope, system, {
      launch: { ...launch, args: [...launch.args, '--skills', '/new'] },
      hide: false,
    });
    for (const change of changes) applyChange(change, true);
    const after = { command: launch.command, args: [...launch.args, '--skills', '/new', '--frozen'] };
    const entry = JSON.parse(JSON.stringify(findConnection(host, scope, system)?.entry));
    expect(entry).toEqual({ ...host.entry(after), ...kept });
    undo(host, scope);
    expect(findConnection(host, scope, system)).toBeNull();
    expect(readFileSync(file, 'utf8')).toContain('mine');
  });

  it.each([
    ['empty', ''],
    ['commented', COMMENTED[host.format]],
    ['with Windows line ends', COMMENTED[host.format].replaceAll('\n', '\r\n')],
  ])(
    'adds to a file that is %s, keeps every line of it, and leaves it byte for byte as it was',
    (_name, text) => {
      const file = fileOf(host, scope);
      put(file, text);
      run(host, scope);
      const after = readFileSync(file, 'utf8');
      const lines = text.split(/\r?\n/).map((line) => line.replace(/(?<=[}\]]|1)(?=\s*(\/\/|$))/, ''));
      for (const line of lines.filter((each) => each.trim() !== '' && each.trim() !== '}'))
        expect(after).toContain(line.replace(/,$/, ''));
      expect(findConnection(host, scope, system)?.entry).toEqual({ ...host.entry(launch) });
      expect(readFileSync(backupFile(file), 'utf8')).toBe(text);
      undo(host, scope);
      expect(readFileSync(file, 'utf8')).toBe(text);
    },
  );

  it('takes only its own lines out of a file that others changed since', () => {
    const file = fileOf(host, scope);
    put(file, COMMENTED[host.format]);
    run(host, scope);
    const changed = readFileSync(file, 'utf8').replace(/first("?)( ?[:=])/, 'renamed$1$2');
    writeFileSync(file, changed);
    undo(host, scope);
    const read = (text: string) => readHostText({ file, format: host.format, text });
    expect(JSON.parse(JSON.stringify(read(readFileSync(file, 'utf8'))))).toEqual(
      JSON.parse(JSON.stringify(read(COMMENTED[host.format].replace('first', 'renamed')))),
    );
    expect(readFileSync(file, 'utf8')).toContain('mine');
  });

  it('refuses a broken file and does not touch it', () => {
    const file = fileOf(host, scope);
    put(file, BROKEN[host.format]);
    expect(() => run(host, scope)).toThrow(/cannot be edited: .*Nothing was written/);
    expect(() => undo(host, scope)).toThrow(/cannot be edited/);
    expect(readFileSync(file, 'utf8')).toBe(BROKEN[host.format]);
    expect(existsSync(backupFile(file))).toBe(false);
  });

  it('refuses a read-only file with the reason, before it changes another', () => {
    const file = fileOf(host, scope);
    put(file, COMMENTED[host.format]);
    chmodSync(file, 0o444);
    expect(() => run(host, scope)).toThrow(`${file} cannot be written: the file is read-only.`);
    expect(readFileSync(file, 'utf8')).toBe(COMMENTED[host.format]);
    for (const { file: any } of planConnect(host, scope, system, { launch, hide: true }))
      expect(existsSync(backupFile(any))).toBe(false);
  });

  it('writes a new command over an old one, and still leaves the first file', () => {
    const file = fileOf(host, scope);
    put(file, COMMENTED[host.format]);
    run(host, scope);
    const other = { command: 'npx', args: ['-y', 'skillgate', 'serve'] };
    for (const change of planConnect(host, scope, system, { launch: other, hide: true }))
      if (change.before !== change.after) applyChange(change, true);
    expect(findConnection(host, scope, system)?.entry).toEqual({ ...host.entry(other) });
    undo(host, scope);
    expect(readFileSync(file, 'utf8')).toBe(COMMENTED[host.format]);
  });
});

describe('the host’s own list of skills', () => {
  const settings = (path: string) => JSON.parse(readFileSync(join(system.home, path), 'utf8'));

  it('is hidden by the setting of each host that has one', () => {
    for (const id of ['claude-code', 'gemini-cli', 'vscode', 'opencode', 'codex']) run(findHost(id)!, 'user');
    expect(settings('.claude/settings.json')).toEqual({ permissions: { deny: ['Skill'] } });
    expect(settings('.gemini/settings.json')).toMatchObject({ skills: { enabled: false } });
    expect(settings('.config/Code/User/settings.json')).toEqual({ 'chat.useAgentSkills': false });
    expect(settings('.config/opencode/opencode.json')).toMatchObject({ permission: { skill: 'deny' } });
    expect(readFileSync(join(system.home, '.codex/config.toml'), 'utf8')).toContain(
      '[skills]\ninclude_instructions = false\n',
    );
  });

  it('of Copilot CLI is hidden by the name of each skill, next to those that its user disabled', () => {
    const copilot = findHost('copilot-cli')!;
    const file = join(system.home, '.copilot/settings.json');
    const text = '{\n  // mine\n  "disabledSkills": ["b", "x"],\n  "theme": "dark"\n}\n';
    const connect = (...names: string[]) => {
      for (const change of planConnect(copilot, 'user', system, { launch, hide: true, names }))
        if (change.before !== change.after) applyChange(change, true);
    };
    put(file, text);
    connect('a', 'b');
    expect(isListHidden(copilot, system, ['a', 'b'])).toBe(true);
    expect(isListHidden(copilot, system, ['a', 'c'])).toBe(false);
    connect('a', 'c');
    expect(
      valueAt(readHostText({ file, format: 'json', text: readFileSync(file, 'utf8') }), ['disabledSkills']),
    ).toEqual(['b', 'x', 'a', 'c']);
    undo(copilot, 'user');
    expect(readFileSync(file, 'utf8')).toBe(text);
    connect('a');
    put(file, readFileSync(file, 'utf8').replace('dark', 'light'));
    undo(copilot, 'user');
    expect(readHostText({ file, format: 'json', text: readFileSync(file, 'utf8') })).toEqual({
      disabledSkills: ['b', 'x'],
      theme: 'light',
    });
  });

  it('of Copilot CLI leaves the names that its user disabled or enabled after connect', () => {
    const copilot = findHost('copilot-cli')!;
    const file = join(system.home, '.copilot/settings.json');
    const connect = (...names: string[]) => {
      for (const change of planConnect(copilot, 'user', system, { launch, hide: true, names }))
        if (change.before !== change.after) applyChange(change, true);
    };
    const names = () => JSON.parse(readFileSync(file, 'utf8')).disabledSkills;
    for (const text of [null, '{ "disabledSkills": ["b", "x"] }']) {
      const before = text === null ? [] : ['b', 'x'];
      if (text !== null) put(file, text);
      connect('a', 'b');
      put(file, JSON.stringify({ disabledSkills: [...names(), 'theirs'] }));
      connect('a', 'b', 'c', 'theirs');
      expect(names()).toEqual(expect.arrayContaining([...before, 'a', 'b', 'c', 'theirs']));
      // Enabled in the host, and hidden again.
      put(file, JSON.stringify({ disabledSkills: names().filter((name: string) => !'ax'.includes(name)) }));
      connect('a', 'b', 'c');
      undo(copilot, 'user');
      expect(names()).toEqual([...before.filter((name) => name !== 'x'), 'theirs']);
      expect(readdirSync(dirname(file))).toEqual(['settings.json']);
    }
  });

  it('of Copilot CLI needs no file where there is no skill', () => {
    run(findHost('copilot-cli')!, 'user');
    expect(existsSync(join(system.home, '.copilot/settings.json'))).toBe(false);
  });

  it('stays with hide switched off', () => {
    run(findHost('claude-code')!, 'user', false);
    expect(existsSync(join(system.home, '.claude/settings.json'))).toBe(false);
  });

  it('stays where somebody wrote rules for single skills, and says so', () => {
    const text = '{ "permission": { "skill": { "internal-*": "deny" } } }';
    put(join(system.home, '.config/opencode/opencode.json'), text);
    const [change] = run(findHost('opencode')!, 'user');
    expect(change?.notes[0]).toMatch(/permission\.skill in .* has rules of your own and stays as it is/);
    expect(settings('.config/opencode/opencode.json').permission).toEqual({
      skill: { 'internal-*': 'deny' },
    });
  });

  it('is switched off in Goose only where Goose wrote that extension', () => {
    const file = join(system.home, '.config/goose/config.yaml');
    put(file, 'extensions:\n  skills:\n    enabled: true\n    type: platform\n');
    run(findHost('goose')!, 'user');
    expect(readFileSync(file, 'utf8')).toMatch(
      /skills:\n {4}enabled: false\n {4}type: platform\n {2}skillgate:/,
    );
  });

  it('keeps a rule that was there before connect', () => {
    const file = join(system.home, '.claude/settings.json');
    put(file, '{ "permissions": { "deny": ["Skill"] } }');
    run(findHost('claude-code')!, 'user');
    undo(findHost('claude-code')!, 'user');
    expect(readFileSync(file, 'utf8')).toBe('{ "permissions": { "deny": ["Skill"] } }');
  });
});

describe('the prompt hook', () => {
  const COMMAND = '/usr/bin/node /opt/skillgate/dist/skillgate.cjs hint';
  const read = (file: string) => JSON.parse(readFileSync(file, 'utf8'));
  const claude = findHost('claude-code')!;
  const settingsOf = (scope: Scope) => findFirstLocation(claude.hook?.files[scope] ?? [], system);
  const group = (command: string, timeout = 10) => ({ hooks: [{ type: 'command', command, timeout }] });
  const hooked = HOSTS.filter(({ hook }) => hook !== undefined).flatMap((host) =>
    (Object.keys(host.hook?.files ?? {}) as Scope[]).map((scope) => [host.id, scope, host] as const),
  );

  it('is written in the form that each host documents', () => {
    for (const [, , host] of hooked) run(host, 'user', false, COMMAND);
    expect(read(join(system.home, '.claude/settings.json'))).toEqual({
      hooks: { UserPromptSubmit: [group(COMMAND)] },
    });
    expect(read(join(system.home, '.codex/hooks.json'))).toEqual({
      hooks: { UserPromptSubmit: [group(COMMAND)] },
    });
    expect(read(join(system.home, '.gemini/settings.json')).hooks).toEqual({
      BeforeAgent: [group(COMMAND, 10_000)],
    });
  });

  it('is off by default, and no file of another host changes with it', () => {
    for (const [, scope, host] of cases) {
      run(host, scope);
      expect(findHookCommand(host, scope, system)).toBeNull();
      if (host.hook === undefined) expect(run(host, scope, true, COMMAND)).toEqual([]);
    }
  });

  describe.each(hooked)('of %s (%s)', (_, scope, host) => {
    const file = () => findFirstLocation(host.hook?.files[scope] ?? [], system);

    it.each([
      ['empty', ''],
      ['commented', COMMENTED.json],
      ['with Windows line ends', COMMENTED.json.replaceAll('\n', '\r\n')],
      [
        'with hooks of others',
        `{\n\t"hooks": {\n\t\t"${host.hook?.event}": [{ "hooks": [{ "type": "command", "command": "x" }] }] // x\n\t}\n}`,
      ],
    ])('goes into a file that is %s, once, and leaves it byte for byte as it was', (_name, text) => {
      put(file(), text);
      run(host, scope, true, COMMAND);
      expect(findHookCommand(host, scope, system)).toContain(' hint');
      expect(run(host, scope, true, COMMAND)).toEqual([]);
      expect(run(host, scope)).toEqual([]);
      undo(host, scope);
      expect(readFileSync(file(), 'utf8')).toBe(text);
      expect(existsSync(backupFile(file()))).toBe(false);
    });

    it('creates its file, takes a new command, and removes the file again', () => {
      run(host, scope, true, COMMAND);
      run(host, scope, true, 'npx -y skillgate hint');
      const groups = read(file()).hooks[host.hook?.event ?? ''];
      expect(groups).toEqual([group('npx -y skillgate hint', host.hook?.timeout)]);
      undo(host, scope);
      expect(existsSync(file())).toBe(false);
    });

    it('refuses a broken file, and a read-only one before it changes another', () => {
      put(file(), '{ "a": ');
      expect(() => run(host, scope, true, COMMAND)).toThrow(/cannot be edited: .*Nothing was written/);
      put(file(), '{}');
      chmodSync(file(), 0o444);
      expect(() => run(host, scope, true, COMMAND)).toThrow('the file is read-only');
      expect(findConnection(host, scope, system)).toBeNull();
    });
  });

  it('takes only its own lines out of a file that others changed since', () => {
    put(settingsOf('user'), '{\n  "a": 1\n}\n');
    run(claude, 'user', true, COMMAND);
    const value = read(settingsOf('user'));
    value.hooks.UserPromptSubmit.unshift(group('mine'));
    put(settingsOf('user'), JSON.stringify({ ...value, a: 2 }));
    undo(claude, 'user');
    expect(read(settingsOf('user'))).toEqual({ a: 2, hooks: { UserPromptSubmit: [group('mine')] } });
  });

  it('replaces one that was written by hand, and --remove brings that one back', () => {
    const text = JSON.stringify({ hooks: { UserPromptSubmit: [group('skillgate hint --min-fit 0.8', 9)] } });
    put(settingsOf('user'), text);
    run(claude, 'user', true);
    expect(read(settingsOf('user')).hooks.UserPromptSubmit).toEqual([
      group('skillgate hint --min-fit 0.8', 9),
    ]);
    run(claude, 'user', true, COMMAND);
    expect(read(settingsOf('user')).hooks.UserPromptSubmit).toEqual([group(COMMAND)]);
    put(settingsOf('user'), JSON.stringify({ ...read(settingsOf('user')), a: 1 }));
    undo(claude, 'user');
    expect(read(settingsOf('user'))).toEqual({ ...JSON.parse(text), a: 1 });
  });

  it('is no part of the file as it was, when the rest is written later', () => {
    put(settingsOf('user'), '{ "a": 1 }');
    run(claude, 'user', false, COMMAND);
    run(claude, 'user');
    expect(read(settingsOf('user')).permissions).toEqual({ deny: ['Skill'] });
    undo(claude, 'user');
    expect(readFileSync(settingsOf('user'), 'utf8')).toBe('{ "a": 1 }');
  });

  it('goes without a backup too, and commands that only look like it stay', () => {
    const others = [group('skillgate hinting'), group('my-skillgate hint-all'), group('skillgate serve')];
    put(
      settingsOf('user'),
      JSON.stringify({ hooks: { UserPromptSubmit: [...others, group("'/my apps/skillgate.cjs' hint")] } }),
    );
    undo(claude, 'user');
    expect(read(settingsOf('user')).hooks.UserPromptSubmit).toEqual(others);
  });

  it('stays out of hooks that are laid out in another way, and says so', () => {
    put(settingsOf('user'), '{ "hooks": [] }');
    const notes = planConnect(claude, 'user', system, { launch, hide: false, hook: COMMAND }).flatMap(
      (change) => change.notes,
    );
    expect(notes[0]).toMatch(/hooks\.UserPromptSubmit in .* has rules of your own and stays as it is/);
  });
});

describe('files', () => {
  it.skipIf(process.platform === 'win32')(
    'keep their mode, and so does the copy, which nobody else can read',
    () => {
      const file = join(system.home, '.claude.json');
      put(file, '{ "oauth": "secret" }');
      chmodSync(file, 0o600);
      run(findHost('claude-code')!, 'user');
      expect(statSync(file).mode & 0o777).toBe(0o600);
      expect(statSync(backupFile(file)).mode & 0o777).toBe(0o600);
    },
  );

  it('that are links stay links: the file behind them is written', () => {
    const real = join(folder, 'dotfiles/mcp.json');
    put(real, '{}');
    mkdirSync(join(system.home, '.cursor'), { recursive: true });
    symlinkSync(real, join(system.home, '.cursor/mcp.json'));
    run(findHost('cursor')!, 'user');
    expect(lstatSync(join(system.home, '.cursor/mcp.json')).isSymbolicLink()).toBe(true);
    expect(readFileSync(real, 'utf8')).toContain('skillgate');
  });

  it('are not written when they changed after the diff was shown', () => {
    const file = join(system.home, '.cursor/mcp.json');
    put(file, '{}');
    const [change] = planConnect(findHost('cursor')!, 'user', system, { launch, hide: true });
    writeFileSync(file, '{ "a": 1 }');
    expect(() => applyChange(change!, true)).toThrow('it changed in the meantime');
    expect(readFileSync(file, 'utf8')).toBe('{ "a": 1 }');
  });

  it('with servers that are no object are refused', () => {
    put(join(system.home, '.cursor/mcp.json'), '{ "mcpServers": [] }');
    expect(() => run(findHost('cursor')!, 'user')).toThrow(
      'mcpServers is not an object that maps server names to servers',
    );
  });

  it('of Continue get what a new file needs, and list no server that is no item', () => {
    const file = join(system.home, '.continue/config.yaml');
    run(findHost('continue')!, 'user');
    expect(readFileSync(file, 'utf8')).toMatch(
      /^name: .*\nversion: .*\nschema: v1\nmcpServers:\n {2}- name: skillgate\n/,
    );
    put(file, 'mcpServers:\n  skillgate: {}\n');
    expect(() => run(findHost('continue')!, 'user')).toThrow('mcpServers is not a list of servers');
  });

  it('of opencode keep the shape of version 2', () => {
    const file = join(system.project, 'opencode.json');
    put(file, '{ "mcp": { "servers": { "a": { "type": "local", "command": ["a"] } } } }');
    run(findHost('opencode')!, 'project');
    expect(Object.keys(JSON.parse(readFileSync(file, 'utf8')).mcp.servers)).toEqual(['a', 'skillgate']);
  });

  it('of a scope that a host does not have are refused', () => {
    expect(() => run(findHost('windsurf')!, 'project')).toThrow(
      'Windsurf has no settings of a project. Use --scope user.',
    );
  });

  it('without a backup lose only the server', () => {
    const file = join(system.home, '.gemini/settings.json');
    put(
      file,
      '{ "skills": { "enabled": false }, "mcpServers": { "skillgate": { "command": "x" }, "b": {} } }',
    );
    undo(findHost('gemini-cli')!, 'user');
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({
      skills: { enabled: false },
      mcpServers: { b: {} },
    });
  });
});

describe('installed', () => {
  it('is a host by its program, or a file of its own; not by a folder, skills, or what connect made', () => {
    expect(installed()).toEqual([]);
    put(join(system.home, '.claude/skills/one/SKILL.md'), '');
    mkdirSync(join(system.home, '.cursor'), { recursive: true });
    run(findHost('gemini-cli')!, 'user');
    run(findHost('cline')!, 'user');
    expect(installed()).toEqual([]);
    put(join(system.home, '.cursor/argv.json'), '{}');
    put(join(folder, 'bin/codex'), '');
    system = { ...system, env: { PATH: join(folder, 'bin') } };
    expect(installed()).toEqual(['codex', 'cursor']);
  });
});

it.each(['claude-code', 'gemini-cli'])('%s may call skillgate unasked with --allow, until --remove', (id) => {
  const host = findHost(id)!;
  const changes = planConnect(host, 'user', system, { launch, hide: false, allow: true });
  expect(changes.map(({ after }) => after).join()).toMatch(
    /"allow": \[\s*"mcp__skillgate"\s*\]|"trust": true/,
  );
  for (const change of changes) applyChange(change, true);
  undo(host, 'user');
  expect(existsSync(system.home)).toBe(false);
});
