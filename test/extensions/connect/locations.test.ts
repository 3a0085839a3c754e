import { posix, win32 } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findHost, HOSTS } from '../../../extensions/connect/hosts.ts';
import { hintCommand, isHintCommand, toLaunch } from '../../../extensions/connect/launch.ts';
import {
  findFirstLocation,
  type Platform,
  pathAt,
  type Scope,
  type System,
  toPlatform,
} from '../../../extensions/connect/locations.ts';
import { planConnect } from '../../../extensions/connect/plan.ts';

const SYSTEMS: Readonly<Record<Platform, System>> = {
  linux: { platform: 'linux', home: '/home/me', project: '/project/p', env: {} },
  darwin: { platform: 'darwin', home: '/Users/me', project: '/Users/me/p', env: {} },
  win32: {
    platform: 'win32',
    home: 'C:\\Users\\me',
    project: 'D:\\p',
    env: { APPDATA: 'C:\\Users\\me\\AppData\\Roaming' },
  },
};

const fileOf = (id: string, platform: Platform, scope: Scope = 'user', env = {}) => {
  const system = SYSTEMS[platform];
  return findFirstLocation(findHost(id)?.files[scope] ?? [], { ...system, env: { ...system.env, ...env } });
};

describe('the file of a host', () => {
  it.each([
    ['claude-code', '/home/me/.claude.json', '/Users/me/.claude.json', 'C:\\Users\\me\\.claude.json'],
    [
      'claude-desktop',
      '/home/me/.config/Claude/claude_desktop_config.json',
      '/Users/me/Library/Application Support/Claude/claude_desktop_config.json',
      'C:\\Users\\me\\AppData\\Roaming\\Claude\\claude_desktop_config.json',
    ],
    ['cursor', '/home/me/.cursor/mcp.json', '/Users/me/.cursor/mcp.json', 'C:\\Users\\me\\.cursor\\mcp.json'],
    [
      'vscode',
      '/home/me/.config/Code/User/mcp.json',
      '/Users/me/Library/Application Support/Code/User/mcp.json',
      'C:\\Users\\me\\AppData\\Roaming\\Code\\User\\mcp.json',
    ],
    [
      'codex',
      '/home/me/.codex/config.toml',
      '/Users/me/.codex/config.toml',
      'C:\\Users\\me\\.codex\\config.toml',
    ],
    [
      'goose',
      '/home/me/.config/goose/config.yaml',
      '/Users/me/.config/goose/config.yaml',
      'C:\\Users\\me\\AppData\\Roaming\\Block\\goose\\config\\config.yaml',
    ],
    [
      'zed',
      '/home/me/.config/zed/settings.json',
      '/Users/me/.config/zed/settings.json',
      'C:\\Users\\me\\AppData\\Roaming\\Zed\\settings.json',
    ],
  ])('of %s is where each system has it', (id, linux, darwin, windows) => {
    expect([fileOf(id, 'linux'), fileOf(id, 'darwin'), fileOf(id, 'win32')]).toEqual([
      linux,
      darwin,
      windows,
    ]);
  });

  it('follows the variables that hosts honour', () => {
    expect(fileOf('codex', 'linux', 'user', { CODEX_HOME: '/c' })).toBe('/c/config.toml');
    expect(fileOf('claude-code', 'linux', 'user', { CLAUDE_CONFIG_DIR: '/c' })).toBe('/c/.claude.json');
    expect(fileOf('copilot-cli', 'darwin', 'user', { COPILOT_HOME: '/c' })).toBe('/c/mcp-config.json');
    const cline = (env: object) => fileOf('cline', 'linux', 'user', env);
    expect(cline({})).toBe('/home/me/.cline/data/settings/cline_mcp_settings.json');
    expect(cline({ CLINE_DIR: '/c' })).toBe('/c/data/settings/cline_mcp_settings.json');
    expect(cline({ CLINE_DIR: '/c', CLINE_DATA_DIR: '/d' })).toBe('/d/settings/cline_mcp_settings.json');
    expect(cline({ CLINE_DATA_DIR: '/d', CLINE_MCP_SETTINGS_PATH: '/m.json' })).toBe('/m.json');
    expect(fileOf('zed', 'linux', 'user', { XDG_CONFIG_HOME: '/x' })).toBe('/x/zed/settings.json');
    expect(fileOf('zed', 'darwin', 'user', { XDG_CONFIG_HOME: '/x' })).toBe(
      '/Users/me/.config/zed/settings.json',
    );
  });

  it('is absolute, normal and without variables, for every host, scope and system', () => {
    for (const system of Object.values(SYSTEMS)) {
      const path = system.platform === 'win32' ? win32 : posix;
      for (const host of HOSTS) {
        const all = [
          ...Object.values(host.files),
          ...Object.values(host.hide?.files ?? {}),
          ...Object.values(host.hook?.files ?? {}),
          host.signs,
        ].flat();
        for (const file of all.map((location) => pathAt(location, system))) {
          expect(path.isAbsolute(file), file).toBe(true);
          expect(path.normalize(file)).toBe(file);
          expect(file).not.toMatch(/[{}]/);
        }
      }
    }
  });

  it('is one of Linux on systems that are none of the three', () => {
    expect(toPlatform('freebsd')).toBe('linux');
    expect(toPlatform('win32')).toBe('win32');
  });
});

describe('the command that a host starts', () => {
  it('is Node.js with the path of this program, in a checkout and in an installation', () => {
    const program = { root: '/opt/skillgate', node: '/usr/bin/node' };
    expect(toLaunch(program, [], SYSTEMS.linux, 'user')).toEqual({
      command: '/usr/bin/node',
      args: ['/opt/skillgate/dist/skillgate.cjs', 'serve'],
    });
    const windows = { root: 'C:\\npm\\node_modules\\skillgate', node: 'C:\\nodejs\\node.exe' };
    expect(toLaunch(windows, ['--skills', 'D:\\s'], SYSTEMS.win32, 'user')).toEqual({
      command: 'C:\\nodejs\\node.exe',
      args: ['C:\\npm\\node_modules\\skillgate\\dist\\skillgate.cjs', 'serve', '--skills', 'D:\\s'],
    });
  });

  it('is npx where npx started this program, through cmd on Windows', () => {
    const program = { root: '/home/me/.npm/_npx/1a/node_modules/skillgate', node: '/usr/bin/node' };
    expect(toLaunch(program, [], SYSTEMS.darwin, 'project')).toEqual({
      command: 'npx',
      args: ['-y', 'skillgate', 'serve'],
    });
    const windows = {
      root: 'C:\\Users\\me\\AppData\\Local\\npm-cache\\_npx\\1a\\node_modules\\skillgate',
      node: 'n',
    };
    expect(toLaunch(windows, [], SYSTEMS.win32, 'project')).toEqual({
      command: 'cmd',
      args: ['/c', 'npx', '-y', 'skillgate', 'serve'],
    });
  });

  it('takes no program and no settings of npx from the project that is open', () => {
    const program = { root: '/home/me/.npm/_npx/1a/node_modules/skillgate', node: '/usr/bin/node' };
    expect(toLaunch(program, [], SYSTEMS.linux, 'user')).toEqual({
      command: 'npx',
      args: ['--prefix', SYSTEMS.linux.home, '-y', 'skillgate', 'serve'],
    });
    expect(hintCommand(program, [], SYSTEMS.linux, 'user')).toBe(
      `npx --prefix ${SYSTEMS.linux.home} -y skillgate hint`,
    );
  });

  it('is written for Windows with paths that every format reads back', () => {
    const launch = { command: 'C:\\nodejs\\node.exe', args: ['C:\\s\\dist\\skillgate.cjs', 'serve'] };
    for (const host of HOSTS) {
      const [first] = planConnect(host, 'user', SYSTEMS.win32, { launch, hide: true });
      expect(first?.before).toBeNull();
      expect(first?.after).toContain('skillgate.cjs');
    }
  });
});

describe('the command of a prompt hook', () => {
  const npx = '/home/me/.npm/_npx/1a/node_modules/skillgate';

  it.each([
    ['linux', '/opt/skillgate', [], '/usr/bin/node /opt/skillgate/dist/skillgate.cjs hint'],
    [
      'darwin',
      "/Users/me/it's here/skillgate",
      ['--skills', '/s/$HOME `x`'],
      "/usr/bin/node '/Users/me/it'\\''s here/skillgate/dist/skillgate.cjs' hint --skills '/s/$HOME `x`'",
    ],
    ['linux', npx, ['--config', '/c.json'], 'npx -y skillgate hint --config /c.json'],
    [
      'win32',
      'C:\\npm\\skillgate',
      ['--skills', 'D:\\my skills'],
      'node C:/npm/skillgate/dist/skillgate.cjs hint --skills "D:/my skills"',
    ],
    ['win32', 'C:\\npm-cache\\_npx\\1a\\skillgate', [], 'npx -y skillgate hint'],
  ] as const)(
    'on %s from %s with %j is one line for every shell of that system',
    (platform, root, options, line) => {
      const command = hintCommand({ root, node: '/usr/bin/node' }, options, SYSTEMS[platform], 'project');
      expect(command).toBe(line);
      expect(isHintCommand(command)).toBe(true);
    },
  );

  it('is refused where the shells of Windows would read a path differently', () => {
    const program = { root: 'C:\\npm\\skillgate', node: 'node' };
    expect(() => hintCommand(program, ['--skills', 'D:\\100%'], SYSTEMS.win32, 'user')).toThrow(
      'D:\\100% cannot be part of a prompt hook',
    );
  });
});
