import { describe, expect, it } from 'vitest';
import { isServer, wantedTools } from '../../../../src/gateway/tools/names.ts';

const wanted = (mcpTools: string[], allowedTools: string[] = []) => wantedTools({ mcpTools, allowedTools });

describe('wantedTools', () => {
  it('treats plain names as tools of any server', () => {
    expect(wanted(['kiln_start'])).toEqual([{ server: null, tool: 'kiln_start' }]);
  });

  it('treats a name with a slash as a tool’s name and as server/tool', () => {
    expect(wanted(['pottery/kiln_start'])).toEqual([
      { server: null, tool: 'pottery/kiln_start' },
      { server: 'pottery', tool: 'kiln_start' },
    ]);
  });

  it('reads names in the form of allowed-tools', () => {
    expect(wanted([], ['mcp__pottery__kiln_start', 'mcp__my_server__*'])).toEqual([
      { server: 'pottery', tool: 'kiln_start' },
      { server: 'my_server', tool: '*' },
    ]);
  });

  it('skips a host’s permission rules and its wildcard', () => {
    expect(wanted([], ['Bash(git:*)', '*'])).toEqual([]);
  });

  it('lists each tool once', () => {
    expect(wanted(['a', 'b'], ['a'])).toEqual([
      { server: null, tool: 'a' },
      { server: null, tool: 'b' },
    ]);
  });
});

describe('isServer', () => {
  it.each([
    ['my-server', 'my-server', true],
    ['my_server', 'my-server', true],
    ['My_Server', 'my-server', true],
    ['myserver', 'my-server', false],
  ])('%s for %s: %s', (written, name, is) => {
    expect(isServer(written, name)).toBe(is);
  });
});
