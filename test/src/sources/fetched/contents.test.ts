import { describe, expect, it } from 'vitest';
import { diagnose } from '../../../../src/skills/diagnostics.ts';
import {
  type Contents,
  contentsFromJson,
  contentsToJson,
  digestOf,
  type StoredFile,
  stateFromJson,
  stateToJson,
} from '../../../../src/sources/fetched/contents.ts';

const file = (digit: string) => ({ sha256: digit.repeat(64), size: 3, executable: false, at: 5, from: null });
const CONTENTS: Contents = {
  resolved: 'sha256:1',
  files: new Map<string, StoredFile>([
    ['a/SKILL.md', file('a')],
    ['__proto__', { ...file('b'), executable: true, from: 'x' }],
  ]),
  diagnostics: [
    diagnose('entry-special', 'a/x', 'A link.', { fix: 'Copy.' }),
    diagnose('entries-more', '.', 'More.'),
  ],
  memory: { etag: '"1"' },
};

describe('contents', () => {
  it('survive a round trip through JSON', () => {
    expect(contentsFromJson(contentsToJson(CONTENTS, 'key'), 'key')).toEqual(CONTENTS);
  });

  it('are rejected under another key, in another format, or damaged', () => {
    const text = contentsToJson(CONTENTS, 'key');
    expect(contentsFromJson(text, 'other')).toBeNull();
    for (const damaged of [text.replace('"format":1', '"format":2'), text.slice(0, 50), '[]', '']) {
      expect(contentsFromJson(damaged, 'key')).toBeNull();
    }
    expect(contentsFromJson(text.replace('entry-special', 'never-heard-of'), 'key')).toBeNull();
  });
});

describe('digestOf', () => {
  it('depends on paths and contents, not on order, mode or time', () => {
    const pair = [
      ['a', file('a')],
      ['b', file('b')],
    ] as const;
    const digest = digestOf(new Map(pair));
    expect(digest).toMatch(/^sha256:[0-9a-f]{64}$/);
    expect(digestOf(new Map([...pair].reverse()))).toBe(digest);
    expect(digestOf(new Map([pair[0], ['b', { ...file('b'), executable: true, at: 9 }]]))).toBe(digest);
    expect(digestOf(new Map([pair[0], ['c', file('b')]]))).not.toBe(digest);
    expect(digestOf(new Map([pair[0], ['b', file('c')]]))).not.toBe(digest);
  });
});

describe('state', () => {
  it('survives a round trip through JSON under its own key', () => {
    const state = {
      resolved: null,
      verifiedAt: null,
      failure: 'Why.',
      diagnostics: CONTENTS.diagnostics,
    };
    const text = stateToJson(state, 'key');
    expect(stateFromJson(text, 'key')).toEqual(state);
    expect(stateFromJson(text, 'other')).toBeNull();
    expect(stateFromJson('{"key":"key"}', 'key')).toBeNull();
  });
});
