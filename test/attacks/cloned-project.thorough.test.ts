/** Attacks with what a cloned repository can hold: links to devices and out of the project, FIFOs and huge files under names that are read unasked. */

import { execFileSync } from 'node:child_process';
import { symlinkSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { beforeEach, describe, expect, it } from 'vitest';
import { freshWorkplace, skillFile } from '../acceptance/command.ts';

/** A command that takes longer hangs, ms: an ordinary one takes a second, ten on a machine that is busy. */
const HANGS_MS = 30_000;
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
beforeEach(() => {
  place.write('.claude/skills/tea/SKILL.md', skillFile('tea', 'Brews tea. Use when tea is wanted.'));
  place.write('home/.claude/plugins/installed_plugins.json', '{"version":2,"plugins":{}}');
  execFileSync('git', ['init', '-q'], { cwd: place.folder });
});

const run = (...args: string[]) => place.runUntil(HANGS_MS, ...args);

describe.runIf(process.platform === 'linux').each(HOSTILE)('a clone full of %s', (_, plant) => {
  beforeEach(() => {
    for (const name of NAMES) {
      const path = join(place.folder, name);
      execFileSync('mkdir', ['-p', join(path, '..')]);
      plant(path);
    }
  });

  it('hangs no command, and its good skill is found', async () => {
    for (const args of [['list'], ['search', 'tea'], ['index'], ['validate'], ['doctor'], ['hint']]) {
      const { hung, stderr } = await run(...args);
      expect([args[0], hung, stderr]).toEqual([args[0], false, expect.not.stringMatching(/\n {4}at /)]);
    }
    expect((await run('list')).stdout).toContain('tea  Brews tea');
  });

  it('hangs no server', async () => {
    const client = new Client({ name: 'attack', version: '1' });
    await client.connect(new StdioClientTransport(place.server()), { timeout: HANGS_MS });
    const answer = await client.callTool({ name: 'search_skills', arguments: { query: 'tea' } });
    expect(JSON.stringify(answer)).toContain('Brews tea');
    await client.close();
  });
});
