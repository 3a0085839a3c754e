/** Recall and completeness: the share of relevant documents found, and whether all needed ones are. */

import { relevant, targets } from '../grades.ts';
import { cutoff, type Measure } from './measure.ts';

/** Recall@k over all relevant documents of any grade. */
export function recall(k: number): Measure {
  const depth = cutoff(k);
  return {
    name: `Recall@${depth}`,
    definition: `Share of the query's relevant documents (grade above 0) that are among the first ${depth}.`,
    citation: 'Manning, Raghavan and Schütze, Introduction to Information Retrieval, 2008, section 8.4.',
    empty: 0,
    compute: (ranking, grades) => share(ranking.slice(0, depth), relevant(grades)),
  };
}

/**
 * Completeness@k (COMP@k) for queries that need several documents: 1 only where all documents of the highest grade are
 * found. It is too strict for a query whose best documents are alternatives, so `evaluate` reports it only for queries
 * that need several.
 */
export function completeness(k: number): Measure {
  const depth = cutoff(k);
  return {
    name: `Completeness@${depth}`,
    definition: `1 where every document of the highest grade that the query has is among the first ${depth}, else 0.`,
    citation:
      'COMP@K: Qu et al., Towards completeness-oriented tool retrieval for large language models, ' +
      'CIKM 2024, arXiv 2405.16089.',
    empty: 0,
    compute: (ranking, grades) => (share(ranking.slice(0, depth), targets(grades)) === 1 ? 1 : 0),
  };
}

/** Share of `wanted` in `found`; 0 where `wanted` is empty. */
function share(found: readonly string[], wanted: ReadonlySet<string>): number {
  if (wanted.size === 0) return 0;
  return found.filter((id) => wanted.has(id)).length / wanted.size;
}
