import { describe, expect, it } from 'vitest';
import { cardOf, nameAndTitle, nameWords } from '../../../../src/search/passages/card.ts';
import { parseSkill } from '../../../../src/skills/parse.ts';

const skillOf = (text: string) =>
  parseSkill(new TextEncoder().encode(text), { path: 'SKILL.md', folder: 'brew-tea' });

describe('nameWords', () => {
  it('splits an identifier into words', () => {
    expect(['brew-tea', 'brew_tea--v2', 'Tea', '---'].map(nameWords)).toEqual([
      ...['brew tea', 'brew tea v2', 'Tea', '---'],
    ]);
  });
});

describe('nameAndTitle', () => {
  it('adds a title that differs from the name', () => {
    expect(nameAndTitle(skillOf('---\ntitle: Brew Tea\n---\n'))).toBe('brew tea');
    expect(nameAndTitle(skillOf('---\ntitle: Tea for Two\n---\n'))).toBe('brew tea Tea for Two');
  });
});

describe('cardOf', () => {
  it('has the first line without front matter', () => {
    expect(cardOf(skillOf('Pour.'), 'SKILL.md')).toMatchObject({ lines: [1, 1], text: 'brew tea: Pour.' });
  });
});
