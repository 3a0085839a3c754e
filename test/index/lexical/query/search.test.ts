import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { averagesOf, BM25F, idf, saturate } from '../../../../index/lexical/postings/bm25f.ts';
import type { LexicalDocument } from '../../../../index/lexical/postings/builder.ts';
import { LexicalSearch } from '../../../../index/lexical/query/search.ts';
import { wordWeight } from '../../../../index/lexical/query/word-weights.ts';
import { FIELDS } from '../../../../index/passage.ts';
import { anyDocuments, built, phrase, searchOf, written } from '../documents.ts';

/** Words of each field of a document. */
function fieldsOf({ name, description, passages }: LexicalDocument): string[][] {
  const of = (...kinds: string[]) =>
    passages
      .filter(({ kind }) => kinds.includes(kind))
      .map(({ text }) => text)
      .join(' ');
  return [name, description, of('body'), of('reference', 'script')].map((text) =>
    text.split(' ').filter(Boolean),
  );
}

/** BM25F by its formula, in doubles, for each document; learned weights to the power of `trust`. */
function scoresByFormula(documents: readonly LexicalDocument[], query: string, trust: number): number[] {
  const fields = documents.map(fieldsOf);
  const averages = averagesOf(Uint32Array.from(fields.flatMap((own) => own.map((words) => words.length))));
  return fields.map((own) => {
    let score = 0;
    for (const term of new Set(query.split(' ').filter(Boolean))) {
      const frequency = fields.filter((other) => other.flat().includes(term)).length;
      const supported = [...own[2]!, ...own[3]!].includes(term);
      const count = FIELDS.reduce((sum, field, at) => {
        const { [field]: b } = BM25F.b;
        const all = own[at]!.filter((word) => word === term).length;
        const occurrences =
          at < 2 ? Math.min(BM25F.mostInCard, all) * (supported ? 1 : BM25F.unsupported) : all;
        const length = averages[field] > 0 ? own[at]!.length / averages[field] : 1;
        return sum + (BM25F.weights[field] * occurrences) / (1 - b + b * length);
      }, 0);
      score += idf(documents.length, frequency) * wordWeight(term) ** trust * saturate(count, BM25F.k1);
    }
    return score;
  });
}

/** At most seven words, each within half a step of 3.4e-5 times an idf below 3, plus float32 rounding. */
const TOLERANCE = 0.001;

describe('match', () => {
  it('scores by the formula, and leaves out documents without a query word', () => {
    fc.assert(
      fc.property(anyDocuments, phrase(7), (documents, query) => {
        const search = searchOf(documents);
        const prepared = search.prepare(query);
        const { ordinals, scores } = search.match(prepared, documents.length);
        const expected = scoresByFormula(documents, query, prepared.trust);
        expect([...ordinals].sort()).toEqual([...expected.keys()].filter((at) => expected[at]! > 0));
        ordinals.forEach((ordinal, at) => {
          expect(Math.abs(scores[at]! - expected[ordinal]!)).toBeLessThan(TOLERANCE);
        });
      }),
    );
  });

  it('returns the first k of the whole list, best first, ties by lower ordinal', () => {
    fc.assert(
      fc.property(anyDocuments, phrase(7), fc.nat({ max: 10 }), (documents, query, k) => {
        // Each document twice, to have ties.
        const search = searchOf([...documents, ...documents]);
        const prepared = search.prepare(query);
        const all = search.match(prepared, 2 * documents.length);
        for (let at = 1; at < all.ordinals.length; at += 1) {
          const falls = all.scores[at - 1]! > all.scores[at]!;
          expect(
            falls || (all.scores[at - 1] === all.scores[at] && all.ordinals[at - 1]! < all.ordinals[at]!),
          ).toBe(true);
        }
        const { ordinals, scores } = search.match(prepared, k);
        expect(ordinals).toEqual(all.ordinals.slice(0, k));
        expect(scores).toEqual(all.scores.slice(0, k));
      }),
    );
  });

  it('returns only accepted documents', () => {
    fc.assert(
      fc.property(anyDocuments, phrase(7), fc.infiniteStream(fc.boolean()), (documents, query, random) => {
        const accept = Uint8Array.from(documents, () => Number(random.next().value));
        const search = searchOf(documents);
        const prepared = search.prepare(query);
        const all = search.match(prepared, documents.length).ordinals;
        expect(search.match(prepared, documents.length, accept).ordinals).toEqual(
          all.filter((ordinal) => accept[ordinal] === 1),
        );
      }),
    );
  });

  it('returns the same results from several segments as from one', () => {
    const averages = { name: 2, description: 3, body: 5, reference: 5 };
    fc.assert(
      fc.property(fc.array(anyDocuments, { maxLength: 4 }), phrase(7), (parts, query) => {
        const documents = parts.flat();
        const one = new LexicalSearch([built(documents, averages)], documents.length);
        const many = new LexicalSearch(
          parts.map((part) => built(part, averages)),
          documents.length,
        );
        const k = documents.length;
        expect(many.match(many.prepare(query), k)).toEqual(one.match(one.prepare(query), k));
      }),
    );
  });

  it('does not mix one query with the next', () => {
    const search = searchOf([written('alpha'), written('beta')]);
    const first = search.match(search.prepare('alpha'), 5);
    search.match(search.prepare('alpha beta gamma'), 1);
    expect(search.match(search.prepare('alpha'), 5)).toEqual(first);
  });

  it('returns nothing for an empty query or index', () => {
    const search = searchOf([written('alpha')]);
    for (const query of ['', 'the', 'unheard'])
      expect(search.match(search.prepare(query), 5).ordinals).toHaveLength(0);
    expect(search.match(search.prepare('alpha'), 0).ordinals).toHaveLength(0);
    const empty = new LexicalSearch([], 0);
    expect(empty.match(empty.prepare('alpha'), 5).ordinals).toHaveLength(0);
  });

  it('finds a name in any spelling', () => {
    const search = searchOf([written('docker_compose'), written('kubernetes')]);
    for (const query of ['docker-compose', 'dockercompose', 'DockerCompose', 'docker'])
      expect([...search.match(search.prepare(query), 5).ordinals]).toEqual([0]);
  });
});
