import { describe, expect, it } from 'vitest';
import { fileKind, isMarkdown } from '../../../src/skills/files.ts';

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
  ])('classifies %s as %s', (path, kind) => {
    expect(fileKind(path)).toBe(kind);
  });
});

describe('isMarkdown', () => {
  it('distinguishes Markdown from plain text', () => {
    expect(['a.md', 'a.MARKDOWN', 'a.txt', 'a.rst'].map(isMarkdown)).toEqual([true, true, false, false]);
  });
});
