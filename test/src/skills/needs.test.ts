import { describe, expect, it } from 'vitest';
import { readNeeds } from '../../../src/skills/needs.ts';

describe('readNeeds', () => {
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
    ['programs among the tools', { dependencies: { tools: ['git', 'kiln_start'] } }, ['git']],
    ['platforms', { platforms: ['macos', 'linux'] }, ['macOS or Linux']],
    [
      'the sentence that says so',
      { compatibility: 'Works offline. Requires git and Python 3.11+.' },
      ['git and Python 3.11+'],
    ],
  ])('finds %s', (_, frontmatter, needs) => {
    expect(readNeeds(frontmatter)).toEqual(needs);
  });

  it.each([
    ['servers by their settings', { mcpServers: { rube: { url: 'x' }, note: 'y' } }, ['rube MCP server']],
    ['lists of mappings and texts', { MCP: [{ name: 'a' }, 'b, c', { name: 1 }, 2] }, ['a', 'b', 'c']],
    ['one text', { 'mcp-server': 'rube' }, ['rube MCP server']],
    ['nothing in other values', { servers: 3, requires: 'x', prerequisites: ['y'], compatibility: 4 }, []],
    ['keys in lists below', { requirements: { API_KEYS: 'A', Accounts: ['b'], other: 'c' } }, ['A', 'b']],
    ['each once', { required_env: ['A', 'A'], primaryEnv: 'A' }, ['A']],
    ['one space for several', { required_env: ['a \n b'] }, ['a b']],
    ['no empty names', { required_env: 'A,, B,' }, ['A', 'B']],
    ['one platform by two names', { os: ['darwin', 'mac'] }, ['macOS']],
    ['all known platforms', { os: 'Win32, iOS, Android' }, ['Windows or iOS or Android']],
    ['no platform in an empty list', { platforms: [] }, []],
    ['no platform with the name of a method', { platforms: ['constructor'] }, []],
    ['nothing in a list of sentences', { compatibility: ['Requires git'] }, []],
    ['no platforms among other words', { platforms: ['linux', 'Claude'] }, []],
    ['two of three desktops', { platforms: ['windows', 'linux'] }, ['Windows or Linux']],
    ['all desktops and more', { platforms: ['linux', 'macos', 'windows', 'ios'] }, []],
    ['blanks around the sentence', { compatibility: 'needs an API  key ; works' }, ['API key']],
    ['servers of a host in a block', { requires: { mcp: 'rube', bins: 'jq' } }, ['rube', 'jq']],
  ])('finds %s', (_, frontmatter, needs) => {
    const found = readNeeds(frontmatter).map((need) => need.replace(/ MCP server$/, ''));
    expect(found).toEqual(needs.map((need) => need.replace(/ MCP server$/, '')));
  });

  it('names eight needs at most', () => {
    const names = [...'abcdefghij'];
    expect(readNeeds({ required_env: names })).toEqual(names.slice(0, 8));
  });

  it('leaves out texts of more than 60 characters', () => {
    expect(readNeeds({ required_env: ['x'.repeat(60), 'y'.repeat(61)] })).toEqual(['x'.repeat(60)]);
  });

  it('looks four levels deep', () => {
    const block = { requires: { bins: 'jq' } };
    expect(readNeeds({ a: { b: { c: { d: block } } } })).toEqual(['jq']);
    expect(readNeeds({ a: { b: { c: { d: { e: block } } } } })).toEqual([]);
    expect(readNeeds({ a: { b: { c: { d: { requires: { e: block } } } } } })).toEqual([]);
    expect(readNeeds({ requires: { a: block } })).toEqual(['jq']);
  });

  it('finds nothing in hosts that are named, all desktop platforms, or long texts', () => {
    expect(readNeeds({ platforms: ['Claude', 'Codex'] })).toEqual([]);
    expect(readNeeds({ platforms: ['linux', 'macos', 'windows'] })).toEqual([]);
    expect(readNeeds({ compatibility: 'Designed for Claude Code' })).toEqual([]);
    expect(readNeeds({ compatibility: `Requires ${'x'.repeat(100)}` })).toEqual([]);
  });
});
