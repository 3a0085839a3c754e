import { describe, expect, it } from 'vitest';
import { analyze } from '../../../../index/lexical/analysis/analyzer.ts';
import { namesOwnKind, OWN_KIND, ownKindIn } from '../../../../index/lexical/analysis/own-kind.ts';

const inQuery = (query: string) => {
  const found = ownKindIn(query, analyze(query));
  return found === null ? null : query.slice(found.from, found.to);
};

describe('ownKindIn', () => {
  it.each([
    ['write a skill for my team', 'skill'],
    ['test my Skills', 'Skills'],
    ['skill-creator', 'skill'],
    ['skills', 'skills'],
    ['skill quality review', 'skill'],
  ])('finds what documents call themselves in "%s"', (query, word) => expect(inQuery(query)).toBe(word));

  it.each([
    ['skill for writing tests'],
    ['is there a skill that reads invoices'],
    ['I need a skill to deploy'],
    ['skilled workers'],
    ['upskilling'],
    ['write tests'],
  ])('finds nothing in "%s"', (query) => expect(inQuery(query)).toBeNull());

  it('has a term that no word of a text has', () => {
    const words = ['skill', 'skills', 'skilled', 'skillful', 'skilling', 'Skills-based'];
    for (const word of words) expect(analyze(word).map(({ term }) => term)).not.toContain(OWN_KIND);
  });
});

describe('namesOwnKind', () => {
  it('is true of a name that says it as a word', () => {
    expect(['skill-creator', 'Writing Skills', 'my_skill'].every(namesOwnKind)).toBe(true);
    expect(['upskilling', 'skilled-trades', 'pdf'].some(namesOwnKind)).toBe(false);
  });
});
