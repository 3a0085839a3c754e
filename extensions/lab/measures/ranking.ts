/** Measures of a ranking: nDCG, which rewards relevant documents near the top, recall, completeness, hits and the first hit's rank. */

import { type Grades, relevant, targets } from '../grades.ts';
import { cutoff, type Measure } from './measure.ts';

/** nDCG@k with gain 2^grade − 1 and discount log2(rank + 1); the ideal ranking is cut at k as well. */
export function ndcg(k: number): Measure {
  const depth = cutoff(k);
  return {
    name: `nDCG@${depth}`,
    definition:
      `Sum over ranks r = 1…${depth} of (2^grade − 1) / log2(r + 1), ` +
      'divided by that sum for the best possible order of all judged documents.',
    citation:
      'Järvelin and Kekäläinen, Cumulated gain-based evaluation of IR techniques, ACM TOIS 20(4), 2002; ' +
      'exponential gain: Burges et al., Learning to rank using gradient descent, ICML 2005.',
    empty: 0,
    compute: (ranking, grades) => {
      const ideal = discounted(idealGrades(grades), depth);
      if (ideal === 0) return 0;
      const found = discounted(
        ranking.slice(0, depth).map((id) => Math.max(0, grades.get(id) ?? 0)),
        depth,
      );
      // Another order of summation may exceed the ideal by an ulp.
      return Math.min(1, found / ideal);
    },
  };
}

function idealGrades(grades: Grades): number[] {
  return [...grades.values()].filter((grade) => grade > 0).sort((a, b) => b - a);
}

function discounted(grades: readonly number[], depth: number): number {
  let sum = 0;
  for (let index = 0; index < Math.min(depth, grades.length); index++) {
    sum += (2 ** grades[index]! - 1) / Math.log2(index + 2);
  }
  return sum;
}

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

/** Hit@k, or success@k: 1 where a document of the query's highest grade is among the first k. */
export function hit(k: number): Measure {
  const depth = cutoff(k);
  return {
    name: `Hit@${depth}`,
    definition: `1 where a document of the highest grade that the query has is among the first ${depth}, else 0.`,
    citation: 'success@n: Craswell and Hawking, Overview of the TREC-2004 Web track, NIST SP 500-261.',
    empty: 0,
    compute: (ranking, grades) => (firstHit(ranking, grades, depth) === null ? 0 : 1),
  };
}

/** MRR@k: the reciprocal rank of the first hit, in the sense of Hit@k. */
export function reciprocalRank(k: number): Measure {
  const depth = cutoff(k);
  return {
    name: `MRR@${depth}`,
    definition:
      '1 / rank of the first document of the highest grade that the query has; ' +
      `0 where none is among the first ${depth}.`,
    citation: 'Voorhees, The TREC-8 question answering track report, NIST SP 500-246, 1999.',
    empty: 0,
    compute: (ranking, grades) => {
      const rank = firstHit(ranking, grades, depth);
      return rank === null ? 0 : 1 / rank;
    },
  };
}

/** Rank, from 1, of the first document of the query's highest grade; null where none is in the first `depth`. */
export function firstHit(ranking: readonly string[], grades: Grades, depth = ranking.length): number | null {
  const wanted = targets(grades);
  const index = ranking.slice(0, depth).findIndex((id) => wanted.has(id));
  return index === -1 ? null : index + 1;
}
