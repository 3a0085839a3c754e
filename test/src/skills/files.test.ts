import { describe, expect, it } from 'vitest';
import { fileExtension, fileKind, isKnownText, isMarkdown } from '../../../src/skills/files.ts';

describe('fileKind', () => {
  it.each([
    ['SKILL.md', 'skill'],
    ['Skill.MD', 'skill'],
    ['nested/SKILL.md', 'reference'],
    ['references/api.md', 'reference'],
    ['references/schema.json', 'reference'],
    ['references/example.py', 'reference'],
    ['references/NOTES', 'reference'],
    ['references/diagram.png', 'asset'],
    ['docs/guide.rst', 'reference'],
    ['README.md', 'reference'],
    ['notes.txt', 'reference'],
    ['LICENSE.txt', 'asset'],
    ['LICENSE', 'asset'],
    ['requirements.txt', 'asset'],
    ['assets/template.md', 'asset'],
    ['assets/run.sh', 'asset'],
    ['scripts/run.py', 'script'],
    ['scripts/run', 'script'],
    ['scripts/main.go', 'script'],
    ['scripts/query.sql', 'script'],
    ['scripts/README.md', 'reference'],
    ['scripts/data.json', 'asset'],
    ['tool.sh', 'script'],
    ['lib/helper.ts', 'script'],
    ['src/main.go', 'asset'],
    ['data.csv', 'asset'],
    ['logo.svg', 'asset'],
    ['.env', 'asset'],
    ['reference/api.json', 'reference'],
    ['REFERENCES/Schema.JSON', 'reference'],
    ['references/LICENSE', 'reference'],
    ['references/main.go', 'reference'],
    ['references/photo.jpeg', 'asset'],
    ['nested/references/schema.json', 'asset'],
    ['docs/license.md', 'asset'],
    ['copying', 'asset'],
    ['licensing.md', 'reference'],
    ['our-license.md', 'reference'],
    ['bin/run', 'script'],
    ['bin/tool.rs', 'script'],
    ['lib/run', 'asset'],
    ['lib/query.sql', 'asset'],
    ['scripts', 'asset'],
    ['assets', 'asset'],
    ['assets2/notes.md', 'reference'],
    ['scripts/photo.png', 'asset'],
  ])('classifies %s as %s', (path, kind) => {
    expect(fileKind(path)).toBe(kind);
  });
});

describe('isMarkdown', () => {
  it('distinguishes Markdown from plain text', () => {
    expect(['a.md', 'a.MARKDOWN', 'a.txt', 'a.rst'].map(isMarkdown)).toEqual([true, true, false, false]);
  });
});

describe('fileExtension', () => {
  it.each([
    ['a.md', 'md'],
    ['a.tar.GZ', 'gz'],
    ['folder.d/LICENSE', ''],
    ['folder/.gitignore', ''],
    ['.gitignore', ''],
    ['.a.md', 'md'],
    ['a.', ''],
    ['', ''],
  ])('%j has %j', (path, extension) => {
    expect(fileExtension(path)).toBe(extension);
  });
});

describe('isKnownText', () => {
  it('knows documents, data, scripts and sources', () => {
    expect(['rst', 'csv', 'sh', 'go', 'png', ''].map(isKnownText)).toEqual([
      ...[true, true, true, true, false, false],
    ]);
  });
});
