/** Attacks with what a cloned repository can hold: links to devices and out of the project, FIFOs and huge files under names that are read unasked. */

import { execFileSync } from 'node:child_process';
import { symlinkSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { freshWorkplace, skillFile } from '../acceptance/command.ts';

/** What hangs is ended by the time limit of its test: how long a command takes depends on the machine. */
const WAIT_MS = 2 ** 31 - 1;
const COMMANDS = ['list', 'search tea', 'index', 'validate', 'doctor', 'hint'];
/** Names that skillgate, a host or git reads without being asked. */
const NAMES = [
  '.gitignore',
  'docs/a/b/c/.gitignore',
  '.claude/settings.json',
  '.claude/settings.local.json',
  '.claude-plugin/plugin.json',
  '.claude-plugin/marketplace.json',
  '.claude/skills/tea/evals/evals.json',
  '.claude/skills/tea/references/x.md',
  '.claude/skills/bad/SKILL.md',
  '.mcp.json',
  '.vscode/mcp.json',
  '.cursor/mcp.json',
  '.codex/config.toml',
  '.gemini/settings.json',
  'opencode.json',
  '.gitmodules',
  'package.json',
];
const HOSTILE: readonly (readonly [string, (path: string) => void])[] = [
  ['links to an endless device', (path) => symlinkSync('/dev/zero', path)],
  ['FIFOs', (path) => execFileSync('mkfifo', [path])],
  ['directories', (path) => execFileSync('mkdir', [path])],
  [
    'sparse files of 800 MB',
    (path) => {
      execFileSync('touch', [path]);
      truncateSync(path, 800_000_000);
    },
  ],
];

const place = freshWorkplace();
/** Ends what the test started, before its folder is removed. */
const open: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of open.splice(0)) await end();
});
beforeEach(() => {
  place.write('.claude/skills/tea/SKILL.md', skillFile('tea', 'Brews tea. Use when tea is wanted.'));
  place.write('home/.claude/plugins/installed_plugins.json', '{"version":2,"plugins":{}}');
  execFileSync('git', ['init', '-q'], { cwd: place.folder });
});

function run(...args: string[]) {
  const { child, finished } = place.start(...args);
  open.push(() => child.kill('SIGKILL'));
  return finished;
}

describe.runIf(process.platform === 'linux').each(HOSTILE)('a clone full of %s', (_, plant) => {
  beforeEach(() => {
    for (const name of NAMES) {
      const path = join(place.folder, name);
      execFileSync('mkdir', ['-p', join(path, '..')]);
      plant(path);
    }
  });

  it.each(COMMANDS)('does not hang %s, and its good skill is found', async (command) => {
    const { signal, stdout, stderr } = await run(...command.split(' '));
    expect(signal).toBeNull();
    expect(stderr).not.toMatch(/\n {4}at /);
    if (command === 'list') expect(stdout).toContain('tea  Brews tea');
  });

  it('hangs no server', async () => {
    const client = new Client({ name: 'attack', version: '1' });
    open.push(() => client.close());
    await client.connect(new StdioClientTransport(place.server()), { timeout: WAIT_MS });
    const search = { name: 'search_skills', arguments: { query: 'tea' } };
    const answer = await client.callTool(search, { timeout: WAIT_MS });
    expect(JSON.stringify(answer)).toContain('Brews tea');
  });
});
