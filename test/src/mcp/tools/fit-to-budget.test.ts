/** Sharing a token budget between the hits of an answer. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { estimateTokens } from '../../../../src/gateway/public.ts';
import { clip } from '../../../../src/mcp/text.ts';
import { type Extent, fitToBudget } from '../../../../src/mcp/tools/fit-to-budget.ts';

interface Hit {
  readonly id: string;
  readonly description: string;
  readonly excerpts: readonly string[];
}

/** An answer of ids, descriptions and excerpts, one per line. */
const writer = (hits: readonly Hit[]) => (extent: Extent) => {
  const shown = hits.map(({ id, description, excerpts }, at) => ({
    id,
    description: clip(description, extent.description),
    excerpts: excerpts
      .slice(0, at === 0 ? extent.evidenceOfFirst : extent.evidence)
      .map((excerpt) => clip(excerpt, extent.excerpt)),
  }));
  return {
    shown,
    extent,
    text: shown.flatMap(({ id, description, excerpts }) => [id, description, ...excerpts]).join('\n'),
    prose: {
      descriptions: shown.map(({ description }) => description),
      excerpts: shown.flatMap(({ excerpts }) => excerpts),
      headings: [],
    },
  };
};
const prose = (length: number) => 'word '.repeat(length / 5);
const five = (description: string, excerpt: string, id = 'a-skill'): Hit[] =>
  Array.from({ length: 5 }, () => ({ id, description, excerpts: [excerpt, excerpt] }));

describe('fitToBudget', () => {
  it('returns the whole answer if it fits', () => {
    const { extent } = fitToBudget(600, writer(five('Fills forms.', 'Fields are filled.')));
    expect(extent).toMatchObject({ description: 200, excerpt: 140, evidenceOfFirst: 2, evidence: 1 });
  });

  it('cuts long texts and uses most of the budget', () => {
    const { text, shown } = fitToBudget(600, writer(five(prose(1_000), prose(200))));
    expect(estimateTokens(text)).toBeLessThanOrEqual(600);
    expect(estimateTokens(text)).toBeGreaterThan(500);
    for (const { description, excerpts } of shown) {
      expect(description.length).toBeGreaterThan(150);
      expect(excerpts.length).toBeGreaterThan(0);
    }
  });

  it('keeps short texts whole while it cuts long ones', () => {
    const hits = [...five(prose(1_000), prose(200)).slice(1), ...five('Fills forms.', 'Here.').slice(4)];
    const { shown, extent } = fitToBudget(350, writer(hits));
    expect(extent.description).toBeLessThan(200);
    expect(shown.at(-1)).toMatchObject({ description: 'Fills forms.', excerpts: ['Here.'] });
  });

  it('shows fewer passages instead of useless descriptions', () => {
    const id = `some-repository/${'folder/'.repeat(36)}skill`;
    const { shown, extent, text } = fitToBudget(560, writer(five(prose(1_000), prose(200), id)));
    expect(estimateTokens(text)).toBeLessThanOrEqual(560);
    expect(shown.map(({ excerpts }) => excerpts.length)).toEqual([1, 0, 0, 0, 0]);
    expect(extent.description).toBeGreaterThanOrEqual(90);
  });

  it('returns the shortest version if nothing fits', () => {
    const { extent } = fitToBudget(100, writer(five(prose(1_000), prose(200), 'x'.repeat(400))));
    expect(extent).toMatchObject({ description: 40, evidenceOfFirst: 0, evidence: 0 });
  });

  it('keeps to the budget in any writing system', () => {
    const text = fc.oneof(
      fc.integer({ min: 0, max: 60 }).map((count) => '漢字'.repeat(count)),
      fc.integer({ min: 0, max: 80 }).map((count) => 'some words '.repeat(count)),
    );
    const hit = fc.record({
      id: fc.constant('a-skill'),
      description: text,
      excerpts: fc.array(text, { maxLength: 2 }),
    });
    fc.assert(
      fc.property(fc.array(hit, { minLength: 1, maxLength: 5 }), (hits) => {
        const { text: shortened } = fitToBudget(75 + 105 * hits.length, writer(hits));
        expect(estimateTokens(shortened)).toBeLessThanOrEqual(75 + 105 * hits.length);
      }),
    );
  });
});
