import { describe, expect, it } from 'vitest';
import { isServer, wantedTools } from '../../../../src/gateway/tools/names.ts';

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

describe('wantedTools', () => {
  it.each([
    ['a plain name is of any server', ['kiln_start'], [], [[null, 'kiln_start']]],
    [
      'a name with a slash is a tool’s name, and server/tool',
      ['pottery/kiln_start'],
      [],
      [
        [null, 'pottery/kiln_start'],
        ['pottery', 'kiln_start'],
      ],
    ],
    [
      'the form of allowed-tools',
      [],
      ['mcp__pottery__kiln_start', 'mcp__my_server__*'],
      [
        ['pottery', 'kiln_start'],
        ['my_server', '*'],
      ],
    ],
    ['not a host’s permission rules and its wildcard', [], ['Bash(git:*)', '*'], []],
    [
      'each tool once',
      ['a', 'b'],
      ['a'],
      [
        [null, 'a'],
        [null, 'b'],
      ],
    ],
  ])('%s', (_, mcpTools, allowedTools, wanted) => {
    expect(wantedTools({ mcpTools, allowedTools })).toEqual(
      wanted.map(([server, tool]) => ({ server, tool })),
    );
  });
});
