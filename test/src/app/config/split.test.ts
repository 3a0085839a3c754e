import { describe, expect, it } from 'vitest';
import { digestOf, splitByTrust } from '../../../../src/app/config/split.ts';

const inside = (path: string) => path.startsWith('./');

describe('splitByTrust', () => {
  it('keeps what is harmless and names what is not', () => {
    const local = { kind: 'local', root: './skills' };
    const outside = { kind: 'local', root: '/etc' };
    const program = { kind: 'mcp', command: 'sh' };
    const value = {
      sources: [outside, local, program],
      validate: { rules: { long: 'off' } },
      index: { folder: '/x' },
      learn: false,
    };
    expect(splitByTrust(value, inside)).toEqual({
      harmless: { sources: [local], validate: { rules: { long: 'off' } } },
      kept: [1],
      sensitive: { sources: [outside, program], index: { folder: '/x' }, learn: false },
      parts: ['sources[0]', 'sources[2]', 'index', 'learn'],
    });
  });

  it('takes a source as a whole or not at all', () => {
    const source = { kind: 'local', root: './skills', links: 'follow' };
    expect(splitByTrust({ sources: [source] }, inside)).toMatchObject({ harmless: {}, kept: [] });
  });

  it('needs no trust for an empty file', () => {
    for (const value of [{}, null, { sources: [], scripts: {} }])
      expect(splitByTrust(value, inside).sensitive).toEqual({});
  });
});

describe('digestOf', () => {
  it('is that of the settings, in whatever order they are written', () => {
    const digest = digestOf({ scripts: { enabled: true, env: ['A', 'B'] }, learn: true });
    expect(digestOf({ learn: true, scripts: { env: ['A', 'B'], enabled: true } })).toBe(digest);
    expect(digestOf({ learn: true, scripts: { env: ['B', 'A'], enabled: true } })).not.toBe(digest);
    expect(digestOf({ learn: true, scripts: { env: ['A', 'B'], enabled: 'true' } })).not.toBe(digest);
  });
});
