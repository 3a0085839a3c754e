import { describe, expect, it } from 'vitest';
import { isGrammar } from '../../../../index/lexical/analysis/grammar.ts';
import { prepareQuery } from '../../../../index/lexical/query/query.ts';
import { built, written } from '../documents.ts';

const termsOf = (query: string) =>
  prepareQuery(query, [built([written('alpha')])], 1).terms.map(({ term }) => term);

describe('grammar', () => {
  it('of other languages than English is left out of a query', () => {
    expect(termsOf('Wie bekomme ich meinen Führerschein?')).toEqual(['bekomm', 'fuhrerschein']);
    expect(termsOf('¿Cómo puedo cambiar mi contraseña?')).toEqual(['cambiar', 'mi', 'contrasena']);
    expect(termsOf('旅行を考えてください')).toEqual(['旅行', '行を', 'を考', '考え']);
  });

  it('stays where nothing else is said', () => {
    expect(termsOf('wie ich')).toEqual(['wie', 'ich']);
    expect(termsOf('おにぎり')).toEqual(['おに', 'にぎ', 'ぎり']);
  });

  it('is nothing that English or a technique is called', () => {
    for (const word of ['die', 'come', 'comment', 'dir', 'dem', 'van', 'todo', 'sans', 'uber', 'all', 'fair'])
      expect(isGrammar(word)).toBe(false);
  });
});
