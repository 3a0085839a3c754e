import { describe, expect, it } from 'vitest';
import { termsOf } from '../../../index/lexical/analysis/analyzer.ts';
import { excludedShare } from '../../../src/search/exclusions.ts';

/** All terms weigh the same. */
const ask = (text: string, description: string) => {
  const terms = [...new Set(termsOf(text))].map((term) => ({ term, weight: 1 }));
  return excludedShare({ text, mass: terms.length, terms } as never, { name: 'forms', description });
};

describe('what a description excludes', () => {
  it.each([
    ['Not for cobol programs (use cobol-kit).', 'cobol programs', 'cobol kit'],
    ['Nicht für Cobol-Programme (nutze cobol-kit).', 'cobol programme', 'cobol kit'],
    ['Niemals verwenden bei Cobol, siehe cobol-kit.', 'cobol', 'cobol kit'],
    ['Ne pas utiliser pour programmes cobol (voir cobol-kit).', 'programmes cobol', 'cobol kit'],
    ['No usar para programas cobol (ver cobol-kit).', 'programas cobol', 'cobol kit'],
    ['Não use para programas cobol (veja cobol-kit).', 'programas cobol', 'cobol kit'],
    ['Non usare per programmi cobol (vedi cobol-kit).', 'programmi cobol', 'cobol kit'],
    ['For cobol programs use cobol-kit.', 'cobol programs', 'cobol kit'],
    ['Für Cobol-Programme nutze cobol-kit.', 'cobol programme', 'cobol kit'],
    ['Pour programmes cobol, utilisez cobol-kit.', 'programmes cobol', 'cobol kit'],
    ['Para programas cobol usa cobol-kit.', 'programas cobol', 'cobol kit'],
    ['Para programas cobol use cobol-kit.', 'programas cobol', 'cobol kit'],
    ['Per programmi cobol usa cobol-kit.', 'programmi cobol', 'cobol kit'],
    ['查询会议。会议室管理走 cobol-kit。', '会议室管理', 'cobol kit'],
  ])('%s', (clause, thing, instead) => {
    const description = `forms. ${clause}`;
    expect(ask(thing, description)).toBeGreaterThanOrEqual(0.4);
    expect(ask(instead, description)).toBeGreaterThanOrEqual(0.4);
    expect(ask('forms', description)).toBe(0);
  });

  it.each([
    ['不要用于排版论文。', '排版论文'],
    ['编辑文件。不负责排版论文。', '排版论文'],
    ['論文の組版には使わない。', '論文の組版'],
  ])('%s', (description, thing) => {
    expect(ask(thing, description)).toBeGreaterThanOrEqual(0.4);
  });

  it.each([
    ['Moves Rollbar to Sentry.', 'Sentry to Rollbar'],
    ['Migriert Rollbar nach Sentry.', 'Sentry nach Rollbar'],
    ['Migre de Rollbar à Sentry.', 'de Sentry à Rollbar'],
    ['Migra de Rollbar a Sentry.', 'de Sentry a Rollbar'],
    ['Migra de Rollbar para Sentry.', 'de Sentry para Rollbar'],
    ['Converte da Word a PDF.', 'da PDF a Word'],
    ['把Word转为PDF。', 'PDF转Word'],
    ['WordからPDFへ。', 'PDFからWord'],
  ])('the other way than "%s"', (description, text) => {
    expect(ask(text, description)).toBe(0.6);
    expect(ask(description, description)).toBe(0);
  });

  it('words around an English "a" are no way', () => {
    expect(ask('test a build', 'Helps to build a test.')).toBe(0);
  });

  it('a long description costs no time that grows with its square', () => {
    const long = '好'.repeat(200_000);
    expect(ask('cobol', `${long} ${'a'.repeat(200_000)}`)).toBe(0);
  });
});
