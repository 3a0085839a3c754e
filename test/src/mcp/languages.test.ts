import { describe, expect, it } from 'vitest';
import { foreignHint, guidance, queryLanguage, writeGuide } from '../../../src/mcp/instructions.ts';
import { answerWithin } from '../../../src/mcp/tools/search-answer.ts';

const summary = (languages: readonly { language: string; percent: number }[]) => ({
  skills: 100,
  references: 0,
  sources: [],
  themes: [],
  languages,
  generation: 1,
});
const ENGLISH = [{ language: 'en', percent: 97 }];

describe('queryLanguage', () => {
  it('says in which language to write a query, and why', () => {
    expect(queryLanguage(summary(ENGLISH))).toBe('Write the query in English: 97 % of these skills are.');
    expect(queryLanguage(summary([{ language: 'ja', percent: 100 }]))).toBe(
      'Write the query in Japanese: 100 % of these skills are.',
    );
  });

  it('names each language that many skills have', () => {
    const languages = [
      { language: 'en', percent: 61 },
      { language: 'de', percent: 35 },
    ];
    expect(queryLanguage(summary(languages))).toBe(
      'Write the query in English or German: 61 % and 35 % of these skills are.',
    );
  });

  it('is in the description of the search tool and in the guidance, unless no language is known', () => {
    const sentence = 'Write the query in English: 97 % of these skills are.';
    expect(writeGuide(summary(ENGLISH)).search).toContain(` ${sentence}`);
    expect(guidance(summary(ENGLISH))).toContain(`\n\n${sentence}\n\n`);
    expect(writeGuide(summary([])).search).not.toContain('Write the query in');
    expect(guidance(summary([]))).not.toContain('Write the query in');
  });
});

describe('an answer to a query in a language that the catalog hardly has', () => {
  const foreign = { language: 'es', share: 0.002, catalog: [{ language: 'en', share: 0.97 }] };

  it('says so in the text and in the structured answer', () => {
    const { result, text } = answerWithin(
      {
        query: 'Necesito una copia',
        words: [],
        retrieval: { mode: 'hybrid', vectors: 'exact', model: 'toy' },
        searched: 100,
        hits: [],
        confidence: 0.02,
        fit: 0.02,
        weak: true,
        foreign,
        tookMs: 1,
      },
      { filtered: false, detail: false },
    );
    expect(foreignHint(foreign)).toBe(
      'The query is in Spanish, but the skills are in English: search again in English.',
    );
    expect(text).toContain(foreignHint(foreign));
    expect(result).toMatchObject({
      weak: true,
      fit: 0.02,
      verdict: foreignHint(foreign),
    });
  });
});
