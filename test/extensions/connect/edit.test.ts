import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { withoutSettings, withSettings } from '../../../extensions/connect/edit.ts';
import type { Format, Setting } from '../../../extensions/connect/host.ts';
import { isRecord } from '../../../src/base/json.ts';

const ENTRY: Setting = {
  path: ['mcpServers', 'skillgate'],
  value: { command: 'node', args: ['a.js', 'serve'] },
};
const DENY: Setting = { path: ['permissions', 'deny'], value: 'Skill', append: true };
const TABLE: Setting = {
  path: ['mcp_servers', 'skillgate'],
  value: { command: 'node', args: ['C:\\a', 'serve'] },
};
const HIDE: Setting = { path: ['skills', 'include_instructions'], value: false };
const EXTENSION: Setting = { path: ['extensions', 'skillgate'], value: { cmd: 'node', args: ['serve'] } };

const edited = (format: Format, text: string, ...settings: Setting[]) =>
  withSettings({ file: 'settings', format, text }, settings);

describe('JSON', () => {
  it('is written whole where the file is empty', () => {
    expect(edited('json', '', ENTRY)).toBe(
      `${JSON.stringify({ mcpServers: { skillgate: ENTRY.value } }, null, 2)}\n`,
    );
  });

  it('keeps comments, tabs, order, lists on one line and commas at the end', () => {
    const text = `{
\t// ours
\t"a": [1, 2],
\t"mcpServers": {
\t\t"docs": { "command": "npx" }, // the team's
\t},
\t"z": 1
}
`;
    expect(edited('json', text, ENTRY)).toBe(`{
\t// ours
\t"a": [1, 2],
\t"mcpServers": {
\t\t"docs": { "command": "npx" }, // the team's
\t\t"skillgate": {
\t\t\t"command": "node",
\t\t\t"args": [
\t\t\t\t"a.js",
\t\t\t\t"serve"
\t\t\t]
\t\t},
\t},
\t"z": 1
}
`);
  });

  it('gets its comma before a comment, and Windows line ends where it has them', () => {
    expect(edited('json', '{\r\n  "a": 1 // one\r\n}\r\n', { path: ['b'], value: 2 })).toBe(
      '{\r\n  "a": 1, // one\r\n  "b": 2\r\n}\r\n',
    );
  });

  it('stays on one line where it is one, and opens where it is empty', () => {
    expect(edited('json', '{"a": 1}', { path: ['b'], value: 2 })).toBe('{"a": 1, "b": 2}');
    expect(edited('json', '{\n  "mcpServers": {}\n}', { path: ['mcpServers', 'b'], value: 2 })).toBe(
      '{\n  "mcpServers": {\n    "b": 2\n  }\n}',
    );
  });

  it('adds an item to a list, and creates the list', () => {
    expect(edited('json', '{"permissions": {"deny": ["Bash(rm *)"]}}', DENY)).toBe(
      '{"permissions": {"deny": ["Bash(rm *)", "Skill"]}}',
    );
    expect(JSON.parse(edited('json', '{}', DENY))).toEqual({ permissions: { deny: ['Skill'] } });
  });

  it('keeps a byte order mark', () => {
    expect(edited('json', '\ufeff{}', { path: ['a'], value: 1 })).toBe('\ufeff{\n  "a": 1\n}');
  });

  it.each(['{', '[1]', '"x"', '{"a": }'])('is refused where it cannot be read as settings: %s', (text) => {
    expect(() => edited('json', text, ENTRY)).toThrow(/settings cannot be edited: .* Nothing was written/);
  });
});

it('adds an entry to any JSON object, in any indentation, and changes nothing else', () => {
  const anyObject = fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 6 });
  fc.assert(
    fc.property(
      anyObject,
      fc.constantFrom(undefined, 2, 4, '\t'),
      fc.boolean(),
      (value, indent, isWindows) => {
        const { mcpServers: _, ...rest } = value;
        const written = JSON.stringify(rest, null, indent);
        const text = isWindows ? written.replaceAll('\n', '\r\n') : written;
        const after = edited('json', text, ENTRY);
        expect(JSON.parse(after)).toEqual({ ...JSON.parse(written), mcpServers: { skillgate: ENTRY.value } });
        // All that was there still stands there in order, up to the last brace.
        expect(after.startsWith(text.replace(/\s*\}$/, ''))).toBe(true);
        expect(
          JSON.parse(withoutSettings({ file: 'f', format: 'json', text: after }, [ENTRY], rest)),
        ).toEqual(JSON.parse(written));
      },
    ),
  );
});

describe('TOML', () => {
  const text = `# mine
model = "o3"  # best

[mcp_servers.docs]
command = "npx"
args = [
  "-y", # yes
]

[skills]
# none yet
`;

  it('gets a table at its end and a setting below its header; all else stays', () => {
    expect(edited('toml', text, TABLE, HIDE)).toBe(
      `${text.replace('[skills]\n', '[skills]\ninclude_instructions = false\n')}
[mcp_servers.skillgate]
command = "node"
args = ["C:\\\\a","serve"]
`,
    );
  });

  it('keeps Windows line ends and adds a last one where it is missing', () => {
    expect(edited('toml', 'a = 1\r\nb = 2', TABLE)).toBe(
      'a = 1\r\nb = 2\r\n\r\n[mcp_servers.skillgate]\r\ncommand = "node"\r\nargs = ["C:\\\\a","serve"]\r\n',
    );
  });

  it('is refused where another table cannot be added: no file is written that its host may not read', () => {
    expect(() => edited('toml', 'mcp_servers = { docs = { command = "npx" } }\n', TABLE)).toThrow(
      'laid out in a way that cannot be edited safely',
    );
  });
});

describe('YAML', () => {
  const text = `# goose
GOOSE_MODEL: x   # best
extensions:
  # tools
  developer:
    enabled: true
    args: ["-y", 'x']
    list:
    - a

# the end
other: 1
`;

  it('gets lines behind the last entry; comments, quotes and spaces stay', () => {
    expect(edited('yaml', text, EXTENSION)).toBe(
      text.replace('    - a\n', '    - a\n  skillgate:\n    cmd: node\n    args:\n      - serve\n'),
    );
  });

  it('changes a truth value in place', () => {
    const setting: Setting = { path: ['extensions', 'developer', 'enabled'], value: false };
    expect(edited('yaml', text, setting)).toBe(text.replace('enabled: true', 'enabled: false'));
  });

  it('starts a list of extensions, also in an empty file, and works on flow mappings', () => {
    expect(edited('yaml', 'a: 1\n', EXTENSION)).toBe(
      'a: 1\nextensions:\n  skillgate:\n    cmd: node\n    args:\n      - serve\n',
    );
    expect(edited('yaml', '', EXTENSION)).toMatch(/^extensions:\n {2}skillgate:/);
    expect(edited('yaml', 'extensions: {a: {b: 1}} # flow\n', EXTENSION)).toContain('# flow');
  });
});

describe('a list in YAML', () => {
  const isOwn = (item: unknown) => isRecord(item) && item.name === 'skillgate';
  const ITEM: Setting = {
    path: ['mcpServers'],
    value: { name: 'skillgate', command: 'node', args: ['serve'] },
    append: true,
    replaces: isOwn,
  };
  const LINES = ['- name: skillgate', '  command: node', '  args:', '    - serve', ''];
  const lines = (indent: string, eol = '\n') => LINES.map((line) => line && indent + line).join(eol);
  const first =
    '# mine\nmcpServers:\n  # browser\n  - name: "b"   # kept\n    command: x\n\n# end\nmodels: []\n';
  const second = first.replace('    command: x\n', `    command: x\n${lines('  ')}`);

  it.each([
    ['with indented items', first, second],
    ['with Windows line ends', first.replaceAll('\n', '\r\n'), second.replaceAll('\n', '\r\n')],
    [
      'without indentation',
      'a:\nmcpServers:\n- name: b\nz: 1\n',
      `a:\nmcpServers:\n- name: b\n${lines('')}z: 1\n`,
    ],
    [
      'without its end of line',
      'a: 1\nmcpServers:\n  - name: b',
      `a: 1\nmcpServers:\n  - name: b\n${lines('  ')}`,
    ],
    ['that is missing', 'a: 1\n', `a: 1\nmcpServers:\n${lines('  ')}`],
  ])('gets an item, and loses no other line: %s', (_, before, after) => {
    expect(edited('yaml', before, ITEM)).toBe(after);
    const taken = withoutSettings({ file: 'settings', format: 'yaml', text: after }, [ITEM], null);
    expect(taken).toBe(before.replace(/([^\n])$/, '$1\n'));
  });

  it.each([
    'mcpServers: [{name: b}] # flow\n',
    'mcpServers: [] # flow\na: 1\n',
    'mcpServers:\n  -\n    name: b\n',
  ])('is edited in other layouts too: %s', (text) => {
    const after = edited('yaml', text, ITEM);
    expect(after).toContain('name: skillgate');
    expect(withoutSettings({ file: 'settings', format: 'yaml', text: after }, [ITEM], null)).not.toContain(
      'skillgate',
    );
  });

  it('of an item that is there changes the keys that differ, and gives them back', () => {
    const text =
      'mcpServers:\n  - name: skillgate # ours\n    command: old\n    env: {A: b} # theirs\n  - name: z\n';
    const setting = { ...ITEM, value: { name: 'skillgate', command: 'node', env: { A: 'b' } } };
    const after = edited('yaml', text, setting);
    expect(after).toBe(
      'mcpServers:\n  - name: skillgate # ours\n    env: {A: b} # theirs\n    command: node\n  - name: z\n',
    );
    const original = { mcpServers: [{ name: 'skillgate', command: 'old', env: { A: 'b' } }] };
    expect(withoutSettings({ file: 'settings', format: 'yaml', text: after }, [setting], original)).toContain(
      '    env: {A: b} # theirs\n    command: old\n  - name: z\n',
    );
  });
});

describe('taking settings out', () => {
  it.each([
    ['{"permissions":{"deny":["a","Skill"]}}', '{"permissions":{"deny":["a"]}}'],
    ['{"permissions":{"deny":["Skill","a"]}}', '{"permissions":{"deny":["a"]}}'],
    ['{"permissions":{"deny":["a", "Skill",]}}', '{"permissions":{"deny":["a",]}}'],
    [
      '{\n "permissions": {\n  "deny": [\n   "a", // why\n   "Skill"\n  ]\n }\n}',
      '{\n "permissions": {\n  "deny": [\n   "a" // why\n   \n  ]\n }\n}',
    ],
    ['{"a":1,"permissions":{"deny":["Skill",]}}', '{"a":1}'],
  ])('leaves the other items of the list: %s', (text, left) => {
    expect(undone('json', text, {}, DENY)).toBe(left);
  });

  const undone = (format: Format, text: string, original: unknown, ...settings: Setting[]) =>
    withoutSettings({ file: 'settings', format, text }, settings, original);

  it('leaves what others wrote, and no empty object that was not there', () => {
    const text = edited('json', '{\n  "a": 1\n}\n', ENTRY, DENY);
    expect(JSON.parse(undone('json', text, { a: 1 }, ENTRY, DENY))).toEqual({ a: 1 });
    expect(JSON.parse(undone('json', text, { a: 1, mcpServers: {} }, ENTRY, DENY))).toEqual({
      a: 1,
      mcpServers: {},
    });
  });

  it('gives a replaced value back', () => {
    const hide: Setting = { path: ['skills', 'enabled'], value: false };
    const text = edited('json', '{"skills": {"enabled": true}}', hide);
    expect(JSON.parse(undone('json', text, { skills: { enabled: true } }, hide))).toEqual({
      skills: { enabled: true },
    });
  });

  it('works in TOML and YAML', () => {
    expect(undone('toml', edited('toml', 'a = 1 # one\n', TABLE, HIDE), { a: 1 }, TABLE, HIDE).trim()).toBe(
      'a = 1 # one',
    );
    expect(undone('yaml', edited('yaml', 'a: 1 # one\n', EXTENSION), { a: 1 }, EXTENSION)).toBe(
      'a: 1 # one\n',
    );
  });
});
