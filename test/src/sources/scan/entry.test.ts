import { describe, expect, it } from 'vitest';
import { parseSkill } from '../../../../src/skills/parse.ts';
import { toEntry } from '../../../../src/sources/scan/entry.ts';
import type { SkillFolder } from '../../../../src/sources/source.ts';

const FOLDER: SkillFolder = {
  id: 'drinks/tea',
  source: 'house',
  uri: 'skill://house/drinks/tea/SKILL.md',
  folder: '/skills/drinks/tea',
  file: 'SKILL.md',
  files: [
    { path: 'SKILL.md', size: 9, kind: 'skill' },
    { path: 'a.md', size: 1, kind: 'reference' },
    { path: 'b.png', size: 1, kind: 'asset' },
    { path: 'c.sh', size: 1, kind: 'script' },
  ],
  stamp: 'stamp',
};

const parse = (text: string) =>
  parseSkill(new TextEncoder().encode(text), { path: 'SKILL.md', folder: 'tea' });

describe('entryOf', () => {
  it('combines folder and skill, with paths by kind', () => {
    const skill = parse('---\nname: tea\ndescription: Brews.\nlicense: MIT\ntags: [hot]\n---\nPour.');
    expect(toEntry(FOLDER, skill, 'abc')).toEqual({
      id: 'drinks/tea',
      source: 'house',
      uri: 'skill://house/drinks/tea/SKILL.md',
      folder: '/skills/drinks/tea',
      file: 'SKILL.md',
      name: 'tea',
      description: 'Brews.',
      tags: ['hot'],
      license: 'MIT',
      allowedTools: [],
      mcpTools: [],
      strict: true,
      digest: 'abc',
      scripts: ['c.sh'],
      references: ['a.md'],
    });
  });

  it('survives JSON unchanged', () => {
    const entry = toEntry(FOLDER, parse('---\ntitle: Tea\n---\n'), 'abc');
    expect(JSON.parse(JSON.stringify(entry))).toEqual(entry);
  });
});
