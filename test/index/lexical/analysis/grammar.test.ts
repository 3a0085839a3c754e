import { describe, expect, it } from 'vitest';
import { isGrammar } from '../../../../index/lexical/analysis/grammar.ts';
import { prepareQuery } from '../../../../index/lexical/query/query.ts';
import { TermStatistics } from '../../../../index/lexical/query/statistics.ts';
import { built, written } from '../documents.ts';

const termsOf = (query: string) =>
  prepareQuery(query, new TermStatistics([built([written('alpha')])], 1)).terms.map(({ term }) => term);

describe('isGrammar', () => {
  it('leaves function words of other languages out of a query', () => {
    expect(termsOf('Wie bekomme ich meinen Führerschein?')).toEqual(['bekomm', 'fuhrerschein']);
    expect(termsOf('¿Cómo puedo cambiar mi contraseña?')).toEqual(['cambiar', 'mi', 'contrasena']);
    expect(termsOf('旅行を考えてください')).toEqual(['旅行', '考え']);
    expect(termsOf('我们怎么备份数据库')).toEqual(['备份', '数据', '库']);
  });

  it('keeps function words if there is nothing else', () => {
    expect(termsOf('wie ich')).toEqual(['wie', 'ich']);
    expect(termsOf('おにぎり')).toEqual(['おにぎり']);
  });

  it('is false for English words and names of techniques', () => {
    for (const word of ['die', 'come', 'comment', 'dir', 'dem', 'van', 'todo', 'sans', 'uber', 'all', 'fair'])
      expect(isGrammar(word)).toBe(false);
  });
});
