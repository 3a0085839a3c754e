import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import {
  type SourceEntry,
  withoutSource,
  withSources,
} from '../../../../extensions/remote-sources/commands/edit-config.ts';

const A = { kind: 'local', root: './a' };
const B = { kind: 'git', url: 'https://b.org/x.git', ref: 'main' };

describe('a YAML file', () => {
  const text = `# ours
limits:   # small
  maxBody: 1MiB

sources:
  # the team's
  - kind: local
    root: ./a   # here
  # the other
  - { kind: git, url: u }
policy: {}
`;

  it('keeps its comments and its layout when a source is added', () => {
    expect(withSources(text, false, [B])).toBe(
      text.replace('policy:', '  - kind: git\n    url: https://b.org/x.git\n    ref: main\npolicy:'),
    );
  });

  it('loses only the lines and the comment of a removed source', () => {
    expect(withoutSource(text, false, 1, 2)).toBe(
      text.replace('  # the other\n  - { kind: git, url: u }\n', ''),
    );
    expect(withoutSource(text, false, 0, 2)).toBe(
      text.replace('  - kind: local\n    root: ./a   # here\n', ''),
    );
  });

  it('keeps what comes before the removed source, however long a comment above it is', () => {
    const kept = '# a long comment of the file\n\nsources:\n  - kind: local   # with a comment of its own\n';
    expect(withoutSource(`${kept}  - kind: git\n`, false, 1, 2)).toBe(kept);
  });

  it('is left with an empty list when the last source is removed', () => {
    const alone = withoutSource(withoutSource(text, false, 1, 2), false, 0, 1);
    expect(parse(alone)).toEqual({ limits: { maxBody: '1MiB' }, sources: [], policy: {} });
    expect(alone).toContain('# ours');
  });

  it.each([
    ['an indented comment behind a folded text', '- >-\n  a\n- kind: git\n  # why\n'],
    ['an empty line that a text keeps', '- kind: git\n- ref: |+\n    a\n\n'],
  ])('keeps the other sources as they are beside %s', (_, list) => {
    const before = `sources:\n${list}policy: {}\n`;
    const { sources } = parse(before);
    expect(parse(withSources(before, false, [B]))).toEqual({ sources: [...sources, B], policy: {} });
    expect(parse(withoutSource(before, false, 1, 2))).toEqual({ sources: [sources[0]], policy: {} });
  });

  it('keeps the indentation of its list', () => {
    expect(withSources('sources:\n- kind: local\n  root: ./a\n', false, [B])).toBe(
      'sources:\n- kind: local\n  root: ./a\n- kind: git\n  url: https://b.org/x.git\n  ref: main\n',
    );
  });

  it.each(['', '# only this\n', 'limits: {}\n', 'sources: []\n', 'sources:\n'])(
    'gets its first source: %j',
    (before) => {
      const after = withSources(before, false, [A]);
      expect(parse(after).sources).toEqual([A]);
      expect(after).toContain('sources:\n  - kind: local\n    root: ./a\n');
      if (before.startsWith('#')) expect(after).toContain('# only this');
    },
  );
});

describe('a JSON file', () => {
  const text = `{
    "limits": {"maxBody": "1MiB"},
    "sources": [
        {"kind": "local", "root": "./a"}
    ],
    "policy": { "rules": [] }
}
`;

  it('keeps its layout when a source is added, with the same indentation', () => {
    expect(withSources(text, true, [B])).toBe(
      text.replace(
        '"./a"}\n',
        '"./a"},\n        {\n            "kind": "git",\n            "url": "https://b.org/x.git",\n            "ref": "main"\n        }\n',
      ),
    );
  });

  it('gets its old text back when the source is removed again', () => {
    expect(withoutSource(withSources(text, true, [B]), true, 1, 2)).toBe(text);
  });

  it.each([
    '',
    '{}',
    '{ }\n',
    '{"limits": {}}',
    '{\n\t"limits": {}\n}\n',
    '{"sources": []}',
    '{"sources":[ ], "limits": {}}',
  ])('gets its first source: %j', (before) => {
    const after = withSources(before, true, [A]);
    const { sources, ...rest } = JSON.parse(after);
    const { sources: _, ...others } = JSON.parse(before === '' ? '{}' : before);
    expect(sources).toEqual([A]);
    expect(rest).toEqual(others);
    expect(
      after.match(/^[ \t]+/gm)?.every((indent) => !before.includes('\t') || /^\t+$/.test(indent)) ?? true,
    ).toBe(true);
  });
});

describe('any file in any layout', () => {
  const entry = fc.record({ kind: fc.constant('local'), root: fc.string({ minLength: 1, maxLength: 12 }) });
  const whole = fc.record({
    first: fc.constant(1),
    sources: fc.array(entry, { maxLength: 4 }),
    last: fc.constant('x'),
  });
  const layout = fc.constantFrom(0, 2, 3, '\t');

  it('adding and removing change only the list of sources', () => {
    fc.assert(
      fc.property(whole, layout, fc.boolean(), entry, fc.nat(), (before, indent, isJson, added, nth) => {
        const text = JSON.stringify(before, null, indent);
        const read = (changed: string): typeof before => (isJson ? JSON.parse(changed) : parse(changed));
        const more = withSources(text, isJson, [added as SourceEntry]);
        expect(read(more)).toEqual({ ...before, sources: [...before.sources, added] });
        const at = nth % (before.sources.length + 1);
        expect(read(withoutSource(more, isJson, at, before.sources.length + 1))).toEqual({
          ...before,
          sources: [...before.sources, added].toSpliced(at, 1),
        });
      }),
    );
  });
});
