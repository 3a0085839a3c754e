/**
 * What words would tell of a document that is not in the index: weighed with the index's own statistics, so that the
 * numbers stand beside those of its documents. Nothing is added to the index.
 */

import { termOfIdentifier } from '../analysis/identifier.ts';
import { BM25F, type Bm25fParameters, type FieldAverages, impactStep } from '../postings/bm25f.ts';
import { type LexicalDocument, PostingsBuilder } from '../postings/builder.ts';
import { findHash, hashTerm } from '../postings/hash.ts';
import type { LexicalQuery } from './query.ts';
import { identifierShares, type LexicalSignals, lexicalSignals } from './signals.ts';

export interface CounterfactualSignals extends LexicalSignals {
  /** As `identifierShares` gives it. */
  readonly identifiers: Float32Array;
}

/**
 * Signals of one document, each column of length 1. Terms keep the idf that `query` has of the index: one document
 * more or less that holds a term is not counted. `averages` are those of the index (`IndexManifest.averages`).
 */
export function counterfactualSignals(
  query: LexicalQuery,
  document: LexicalDocument,
  averages: FieldAverages,
  parameters: Bm25fParameters = BM25F,
): CounterfactualSignals {
  const builder = new PostingsBuilder(parameters);
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
    identifiers: query.identifiers.map(({ name, weight }) => ({
      name,
      weight,
      numbers: Int32Array.of(numberOf(termOfIdentifier(name))),
    })),
  };
  const only = Uint32Array.of(0);
  return {
    ...lexicalSignals([columns], own, only, impactStep(parameters)),
    identifiers: identifierShares([columns], own, only),
  };
}
