import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  FolderNames,
  memberPath,
  pathBelow,
  rootSegments,
} from '../../../../extensions/remote-sources/mcp/folder-names.ts';

describe('FolderNames', () => {
  const of = (...segments: string[]) => new FolderNames().create(segments.join('/'), segments);

  it('keeps safe names, in any script', () => {
    expect(of('pottery', 'kiln')).toBe('pottery/kiln');
    expect(of('töpferei', '窯')).toBe('töpferei/窯');
  });

  it.each([
    [['..', '..', 'evil']],
    [['a b']],
    [['.git']],
    [['node_modules']],
    [['con']],
    [['tea', 'SKILL.md']],
    [['x'.repeat(300)]],
    [['']],
    [[]],
    [Array.from({ length: 30 }, () => 'deep')],
  ])('gives %j a unique name with a digest', (segments) => {
    const folder = of(...segments);
    expect(folder).toMatch(/-[0-9a-f]{10}$/);
    expect(memberPath(folder)).toBe(folder);
    expect(folder.split('/').length).toBeLessThanOrEqual(8);
    expect(folder.split('/')).not.toContain('node_modules');
  });

  it('gives no folder twice, regardless of case', () => {
    const folders = new FolderNames();
    expect(folders.create('1', ['Kiln'])).toBe('Kiln');
    expect(folders.create('2', ['kiln'])).toMatch(/^kiln-[0-9a-f]{10}$/);
    expect(() => folders.create('2', ['kiln'])).toThrow('listed twice');
  });

  it('never gives a path that leads out, for any segments', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'binary' }), { maxLength: 12 }), (segments) => {
        const folder = of(...segments);
        expect(memberPath(folder)).toBe(folder);
      }),
    );
  });
});

describe('memberPath', () => {
  it('accepts plain paths', () => {
    expect(memberPath('references/deep/cones.md')).toBe('references/deep/cones.md');
  });

  it('refuses a path that an origin may not use', () => {
    expect(() => memberPath('a/../../x')).toThrow('a file is called');
  });
});

describe('pathBelow', () => {
  it('decodes paths below the root', () => {
    expect(pathBelow('skill://h/a', 'skill://h/a/references/Q%26A%20b.md')).toBe('references/Q&A b.md');
  });

  it.each([
    'skill://h/b/x.md',
    'skill://h/ab/x.md',
    'skill://h/a/..%2fx.md',
    'skill://h/a/%2e%2e/x.md',
    'skill://h/a/%zz.md',
    'skill://h/a/',
  ])('refuses %s', (uri) => {
    expect(() => pathBelow('skill://h/a', uri)).toThrow();
  });
});

describe('segmentsOf', () => {
  it('is the authority and the path', () => {
    expect(rootSegments('skill://pottery/glazes/a%20b')).toEqual(['pottery', 'glazes', 'a b']);
  });

  it.each(['skill://h/%zz', 'skill://h/a%2fb'])('is %s itself if it cannot be decoded safely', (root) => {
    expect(rootSegments(root)).toEqual([root]);
  });
});
