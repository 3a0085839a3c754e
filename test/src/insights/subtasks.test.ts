import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { subtasksOf } from '../../../src/insights/subtasks.ts';

describe('subtasksOf', () => {
  it.each<[string, string, string[]]>([
    [
      'sentences',
      'Clean the broken export. Draw a chart of the results!',
      ['Clean the broken export.', 'Draw a chart of the results!'],
    ],
    [
      '"and then"',
      'repair the garbled bank export and then match the open invoices',
      ['repair the garbled bank export', 'match the open invoices'],
    ],
    [
      'a list',
      'For the handover:\n1. restore the customer database\n2. write the incident report\n- tell the angry customers',
      [
        'For the handover: 1. restore the customer database',
        'write the incident report',
        'tell the angry customers',
      ],
    ],
    [
      'commas and colons, but not those of a number',
      'check the supplier invoice, book 1,250.50 euros twice: reconcile the bank account',
      ['check the supplier invoice', 'book 1,250.50 euros twice', 'reconcile the bank account'],
    ],
    [
      'words of another language',
      'Lieferantenrechnungen auf Vollständigkeit prüfen und danach offene Posten mit dem Kontoauszug abgleichen',
      [
        'Lieferantenrechnungen auf Vollständigkeit prüfen',
        'danach offene Posten mit dem Kontoauszug abgleichen',
      ],
    ],
    [
      'unspaced writing',
      '請求書を確認して、お客様にメールを書く。',
      ['請求書を確認して', 'お客様にメールを書く。'],
    ],
  ])('splits at %s', (_, text, parts) => {
    expect(subtasksOf(text)).toEqual(parts);
  });

  it('does not split a single request, and joins parts that are too short', () => {
    expect(subtasksOf('roll back a bad database migration')).toEqual(['roll back a bad database migration']);
    expect(subtasksOf('now and then, the nightly backup of the database fails')).toEqual([
      'now and then, the nightly backup of the database fails',
    ]);
  });

  it('returns one to twelve parts of the text’s own words, for any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 400 }), (text) => {
        const parts = subtasksOf(text);
        expect(parts.length).toBeGreaterThanOrEqual(1);
        expect(parts.length).toBeLessThanOrEqual(12);
        const flat = text.replace(/\s+/gu, ' ');
        for (const part of parts) expect(flat).toContain(part);
      }),
      { numRuns: 300 },
    );
    const long = Array.from({ length: 60 }, (_, at) => `Sentence number ${at} wants thing${at} done.`).join(
      ' ',
    );
    expect(subtasksOf(long)).toHaveLength(12);
  });
});
