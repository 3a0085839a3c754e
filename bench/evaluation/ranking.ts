/** More measures of a ranking against the judgements of one query, beside those of `skillgate eval`: recall, completeness, MRR. */

import {
  cutoff,
  firstHit,
  type Grades,
  hit,
  type Measure,
  ndcg,
  targets,
} from '../../extensions/eval/measures.ts';

/** All relevant documents, of any grade above 0. */
export const relevant = (grades: Grades): ReadonlySet<string> =>
  new Set([...grades].filter(([, grade]) => grade > 0).map(([id]) => id));

/**
 * Recall@k: the share of the query's relevant documents (grade above 0) that are among the first k.
 * Manning, Raghavan and Schütze, Introduction to Information Retrieval, 2008, section 8.4.
 */
export function recall(k: number): Measure {
  const depth = cutoff(k);
  return {
    name: `Recall@${depth}`,
    compute: (ranking, grades) => share(ranking.slice(0, depth), relevant(grades)),
  };
}

/**
 * Completeness@k: 1 where every document of the highest grade that the query has is among the first k, else 0. Too strict for a
 * query whose best documents are alternatives, so `evaluate` reports it only for queries that need several.
 * COMP@K: Qu et al., Towards completeness-oriented tool retrieval for large language models, CIKM 2024, arXiv 2405.16089.
 */
export function completeness(k: number): Measure {
  const depth = cutoff(k);
  return {
    name: `Completeness@${depth}`,
    compute: (ranking, grades) => (share(ranking.slice(0, depth), targets(grades)) === 1 ? 1 : 0),
  };
}

/** Share of `wanted` in `found`; 0 where `wanted` is empty. */
function share(found: readonly string[], wanted: ReadonlySet<string>): number {
  if (wanted.size === 0) return 0;
  return found.filter((id) => wanted.has(id)).length / wanted.size;
}

/**
 * MRR@k: 1 / rank of the first hit, in the sense of Hit@k; 0 where none is among the first k.
 * Voorhees, The TREC-8 question answering track report, NIST SP 500-246, 1999.
 */
export function reciprocalRank(k: number): Measure {
  const depth = cutoff(k);
  return {
    name: `MRR@${depth}`,
    compute: (ranking, grades) => {
      const rank = firstHit(ranking, grades, depth);
      return rank === null ? 0 : 1 / rank;
    },
  };
}

/** The measures for each query with a relevant document, in printed order. */
export const STANDARD_MEASURES: readonly Measure[] = [
  hit(1),
  hit(5),
  reciprocalRank(10),
  ndcg(10),
  recall(10),
];

/** Only for queries that need several documents. */
export const COMPLETENESS: Measure = completeness(10);
