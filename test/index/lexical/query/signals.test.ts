import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LexicalSearch } from '../../../../index/lexical/query/search.ts';
import { anyDocument, anyDocuments, built, phrase, searchOf, written } from '../documents.ts';

describe('LexicalSearch.signals', () => {
  const documents = [written('alpha beta', 'gamma', 'delta'), written('omega', 'alpha alpha', 'alpha gamma')];

  it('gives the share of the query in a document, and that of its name in the query', () => {
    const search = searchOf(documents);
    const query = search.prepare('alpha delta beta unheard');
    const [alpha, delta, beta] = query.terms.map((term) => term.weight);
    const signals = search.signals(query, Uint32Array.of(0, 1));
    // Document 0: alpha and beta in the name, delta in the body. Document 1: alpha in description and body.
    expect(signals.bodyCoverage[0]).toBeCloseTo((alpha! + beta! + delta!) / query.mass, 5);
    expect(signals.bodyCoverage[1]).toBeCloseTo(alpha! / query.mass, 5);
    // Both words of "alpha beta", none of "omega".
    expect([...signals.nameInQuery]).toEqual([1, 0]);
    expect([...search.signals(search.prepare('beta'), Uint32Array.of(0, 1)).nameInQuery]).toEqual([0.5, 0]);
  });

  it('scores the card as one text', () => {
    // Cards of three words each, the mean: alpha once 1 × 2.2 / 2.2 = 1, twice 2 × 2.2 / 3.2 = 1.375.
    const search = searchOf(documents);
    const query = search.prepare('alpha');
    const { card } = search.signals(query, Uint32Array.of(0, 1));
    expect(card[0]).toBeCloseTo(query.mass, 4);
    expect(card[1]).toBeCloseTo(query.mass * 1.375, 4);
  });

  it('scores like match, for any order of ordinals and any segment', () => {
    fc.assert(
      fc.property(fc.array(anyDocuments, { maxLength: 3 }), phrase(7), (parts, text) => {
        const count = parts.flat().length;
        const search = new LexicalSearch(
          parts.map((part) => built(part)),
          count,
        );
        const query = search.prepare(text);
        const { ordinals, scores } = search.match(query, count);
        const { bm25f } = search.signals(query, ordinals);
        bm25f.forEach((score, at) => {
          expect(score).toBeCloseTo(scores[at]!, 4);
        });
      }),
    );
  });

  it('keeps every share between 0 and 1', () => {
    fc.assert(
      fc.property(fc.array(anyDocument, { minLength: 1, maxLength: 6 }), phrase(7), (all, text) => {
        const search = searchOf(all);
        const signals = search.signals(search.prepare(text), Uint32Array.from(all.keys()));
        for (let at = 0; at < all.length; at += 1) {
          const { bodyCoverage, nameInQuery } = signals;
          expect(bodyCoverage[at]).toBeGreaterThanOrEqual(0);
          expect(bodyCoverage[at]).toBeLessThanOrEqual(1);
          expect(nameInQuery[at]).toBeGreaterThanOrEqual(0);
          expect(nameInQuery[at]).toBeLessThanOrEqual(1);
        }
      }),
    );
  });

  it('is all zeros without words, and empty without candidates', () => {
    const search = searchOf(documents);
    const nothing = search.signals(search.prepare(''), Uint32Array.of(0, 1));
    const { byTerm, ...columns } = nothing;
    for (const column of Object.values(columns)) expect([...column]).toEqual([0, 0]);
    expect(byTerm).toHaveLength(0);
    expect(search.signals(search.prepare('alpha'), new Uint32Array(0)).bm25f).toHaveLength(0);
  });

  it('says what each word adds to the score', () => {
    fc.assert(
      fc.property(anyDocuments, phrase(7), (documents, query) => {
        const search = searchOf(documents);
        const prepared = search.prepare(query);
        const ordinals = Uint32Array.from(documents.keys());
        const { bm25f, byTerm } = search.signals(prepared, ordinals);
        const width = prepared.terms.length;
        expect(byTerm).toHaveLength(width * ordinals.length);
        for (const ordinal of ordinals) {
          const row = byTerm.subarray(ordinal * width, (ordinal + 1) * width);
          const sum = row.reduce((total, part) => total + part, 0);
          expect(sum).toBeCloseTo(bm25f[ordinal]!, 3);
          const held = search.termFields(prepared, ordinal);
          expect([...row].map((part) => part > 0)).toEqual([...held].map((fields) => fields > 0));
        }
      }),
    );
  });

  it('is the same for any order of the ordinals, several segments and one', () => {
    const averages = { name: 2, description: 3, body: 5, reference: 5 };
    fc.assert(
      fc.property(fc.array(anyDocuments, { maxLength: 4 }), phrase(7), fc.nat(99), (parts, text, turn) => {
        const all = parts.flat();
        const one = new LexicalSearch([built(all, averages)], all.length);
        const many = new LexicalSearch(
          parts.map((part) => built(part, averages)),
          all.length,
        );
        const ascending = Uint32Array.from(all.keys());
        // Every third, then the others, then turned.
        const order = [0, 1, 2].flatMap((rest) => [...all.keys()].filter((at) => at % 3 === rest));
        const turned = Uint32Array.from(order, (_, at) => order[(at + turn) % order.length]!);
        const query = many.prepare(text);
        const expected = one.signals(one.prepare(text), ascending);
        const found = many.signals(query, turned);
        const width = query.terms.length;
        turned.forEach((ordinal, at) => {
          for (const name of ['bm25f', 'card', 'bodyCoverage', 'nameInQuery'] as const)
            expect(found[name][at]).toBe(expected[name][ordinal]);
          expect([...found.byTerm.subarray(at * width, (at + 1) * width)]).toEqual([
            ...expected.byTerm.subarray(ordinal * width, (ordinal + 1) * width),
          ]);
          expect(many.termFields(query, ordinal)).toEqual(one.termFields(one.prepare(text), ordinal));
        });
      }),
    );
  });

  it('is the same for a few of many documents, whose postings are looked up one by one', () => {
    const many = Array.from({ length: 400 }, (_, at) =>
      written(
        `omega ${at % 3 === 0 ? 'alpha' : ''}`,
        at % 5 === 0 ? 'alpha' : '',
        at % 7 === 0 ? 'alpha' : '',
      ),
    );
    const search = new LexicalSearch([built(many.slice(0, 250)), built(many.slice(250))], many.length);
    const query = search.prepare('omega alpha');
    const all = search.signals(query, Uint32Array.from(many.keys()));
    fc.assert(
      fc.property(fc.uniqueArray(fc.nat(399), { minLength: 1, maxLength: 6 }), (asked) => {
        const few = search.signals(query, Uint32Array.from(asked));
        asked.forEach((ordinal, at) => {
          for (const name of ['bm25f', 'card', 'bodyCoverage', 'nameInQuery'] as const)
            expect(few[name][at]).toBe(all[name][ordinal]);
          expect([...few.byTerm.subarray(2 * at, 2 * at + 2)]).toEqual([
            ...all.byTerm.subarray(2 * ordinal, 2 * ordinal + 2),
          ]);
        });
      }),
    );
  });

  it('covers nothing by references, which are no part of the skill file', () => {
    const reference = {
      name: 'omega',
      description: '',
      passages: [{ kind: 'reference' as const, text: 'alpha' }],
    };
    const search = searchOf([reference, written('beta', 'alpha'), written('beta', '', 'alpha')]);
    const query = search.prepare('alpha');
    const { bm25f, bodyCoverage, card, nameInQuery } = search.signals(query, Uint32Array.of(0, 1, 2));
    for (const score of bm25f) expect(score).toBeGreaterThan(0);
    expect([...bodyCoverage]).toEqual([0, expect.closeTo(1, 5), expect.closeTo(1, 5)]);
    expect([...card].map((score) => score > 0)).toEqual([false, true, false]);
    expect([...nameInQuery]).toEqual([0, 0, 0]);
  });
});
