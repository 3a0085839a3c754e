/**
 * Counterfactual signals: how a document that is not in the index would match a query. Uses the statistics of the
 * index, so the numbers are comparable with those of indexed documents. Does not change the index.
 */

import { termOfIdentifier } from '../analysis/word.ts';
import { type FieldAverages, impactStep } from '../postings/bm25f.ts';
import { type LexicalDocument, PostingsBuilder } from '../postings/builder.ts';
import { findHash, hashTerm } from '../postings/hash.ts';
import type { LexicalQuery } from './query.ts';
import { identifierShares, type LexicalSignals, lexicalSignals } from './signals.ts';

interface CounterfactualSignals extends LexicalSignals {
  /** As `identifierShares` gives it. */
  readonly identifiers: Float32Array;
}

/**
 * Signals of one document, each column of length 1. Terms keep the idf that `query` has from the index: the extra
 * document is not counted. `averages` are the mean lengths of the index (`Reader.averages`).
 */
export function counterfactualSignals(
  query: LexicalQuery,
  document: LexicalDocument,
  averages: FieldAverages,
): CounterfactualSignals {
  const builder = new PostingsBuilder();
  builder.add(document);
  const columns = builder.build(averages);
  const numberOf = (term: string) => findHash(columns.hashes, ...hashTerm(term));
  const known = query.terms
    .map(({ term }, place) => ({ number: numberOf(term), term: place }))
    .filter(({ number }) => number >= 0)
    .sort((a, b) => a.number - b.number);
  const own = {
    ...query,
    segments: [
      {
        numbers: Uint32Array.from(known, ({ number }) => number),
        terms: Uint32Array.from(known, ({ term }) => term),
      },
    ],
    identifiers: query.identifiers.map((identifier) => ({
      ...identifier,
      numbers: Int32Array.of(numberOf(termOfIdentifier(identifier.name))),
    })),
  };
  const only = Uint32Array.of(0);
  return {
    ...lexicalSignals([columns], own, only, impactStep()),
    identifiers: identifierShares([columns], own, only),
  };
}
