import { describe, expect, it } from 'vitest';
import { needsOf } from '../../../src/skills/needs.ts';

describe('needsOf', () => {
  it.each([
    ['MCP servers', { requires: { mcp: ['rube'] } }, ['rube MCP server']],
    [
      'programs and keys below a host’s own block',
      {
        metadata: { openclaw: { primaryEnv: 'X_KEY', requires: { bins: ['jq'], env: ['X_KEY', 'X_URL'] } } },
      },
      ['X_KEY', 'jq', 'X_URL'],
    ],
    ['commands before use', { prerequisites: { commands: 'uv, git' } }, ['uv', 'git']],
    ['keys by their names', { required_environment_variables: [{ name: 'A_TOKEN' }] }, ['A_TOKEN']],
    ['platforms', { platforms: ['macos', 'linux'] }, ['macOS or Linux']],
    [
      'the sentence that says so',
      { compatibility: 'Works offline. Requires git and Python 3.11+.' },
      ['git and Python 3.11+'],
    ],
  ])('finds %s', (_, frontmatter, needs) => {
    expect(needsOf(frontmatter)).toEqual(needs);
  });

  it('finds nothing in hosts that are named, all desktop platforms, or long texts', () => {
    expect(needsOf({ platforms: ['Claude', 'Codex'] })).toEqual([]);
    expect(needsOf({ platforms: ['linux', 'macos', 'windows'] })).toEqual([]);
    expect(needsOf({ compatibility: 'Designed for Claude Code' })).toEqual([]);
    expect(needsOf({ compatibility: `Requires ${'x'.repeat(100)}` })).toEqual([]);
  });
});
