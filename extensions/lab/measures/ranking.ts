/**
 * Measures of a ranking against the judgements of one query: nDCG, which rewards relevant documents near the top, recall,
 * completeness, hits and the first hit's rank. Each has its definition and its source.
 */

/** The judgements of one query: grade by document id. Above 0 is relevant, higher is better, and an absent document has grade 0. */
export type Grades = ReadonlyMap<string, number>;

/** The highest grade, or 0 where no document is relevant. */
export function topGrade(grades: Grades): number {
  let top = 0;
  for (const grade of grades.values()) if (grade > top) top = grade;
  return top;
}

/** All relevant documents, of any grade above 0. */
export const relevant = (grades: Grades): ReadonlySet<string> =>
  new Set([...grades].filter(([, grade]) => grade > 0).map(([id]) => id));

/**
 * The best documents: those of the highest grade of the query. Empty where no document is relevant. Lower grades
 * count in nDCG, but finding only them is not a hit.
 */
export function targets(grades: Grades): ReadonlySet<string> {
  const top = topGrade(grades);
  const ids = new Set<string>();
  if (top > 0) for (const [id, grade] of grades) if (grade === top) ids.add(id);
  return ids;
}

/** Measures the ranking of one query. Average over queries with the arithmetic mean. */
export interface Measure {
  /** The printed name with its parameters: `nDCG@10`. */
  readonly name: string;
  /** `ranking`: distinct document ids, best first. In [0, 1], higher is better; 0 where nothing is found or relevant. */
  readonly compute: (ranking: readonly string[], grades: Grades) => number;
}

/** Checks that a cut-off is a rank: a whole number from 1. Throws RangeError otherwise. */
function cutoff(k: number): number {
  if (!Number.isInteger(k) || k < 1) throw new RangeError(`a cut-off is a whole number from 1; found ${k}`);
  return k;
}

/**
 * nDCG@k: the sum over ranks r = 1…k of (2^grade − 1) / log2(r + 1), divided by that sum for the best possible order of all
 * judged documents. Järvelin and Kekäläinen, Cumulated gain-based evaluation of IR techniques, ACM TOIS 20(4), 2002;
 * exponential gain: Burges et al., Learning to rank using gradient descent, ICML 2005.
 */
export function ndcg(k: number): Measure {
  const depth = cutoff(k);
  return {
    name: `nDCG@${depth}`,
    compute: (ranking, grades) => {
      const ideal = discounted([...grades.values()].sort((a, b) => b - a).slice(0, depth));
      if (ideal === 0) return 0;
      const found = discounted(ranking.slice(0, depth).map((id) => grades.get(id) ?? 0));
      // Another order of summation may exceed the ideal by an ulp.
      return Math.min(1, found / ideal);
    },
  };
}

/** A grade below 0 gains nothing, as 0 does. */
const discounted = (grades: readonly number[]): number =>
  grades.reduce((sum, grade, index) => sum + (2 ** Math.max(0, grade) - 1) / Math.log2(index + 2), 0);

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
 * Hit@k, or success@k: 1 where a document of the highest grade that the query has is among the first k, else 0.
 * success@n: Craswell and Hawking, Overview of the TREC-2004 Web track, NIST SP 500-261.
 */
export function hit(k: number): Measure {
  const depth = cutoff(k);
  return {
    name: `Hit@${depth}`,
    compute: (ranking, grades) => (firstHit(ranking, grades, depth) === null ? 0 : 1),
  };
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

/** Rank, from 1, of the first document of the query's highest grade; null where none is in the first `depth`. */
export function firstHit(ranking: readonly string[], grades: Grades, depth = ranking.length): number | null {
  const wanted = targets(grades);
  const index = ranking.slice(0, depth).findIndex((id) => wanted.has(id));
  return index === -1 ? null : index + 1;
}

/** The measures of `skillgate eval` and the benchmark for each query with a relevant document, in printed order. */
export const STANDARD_MEASURES: readonly Measure[] = [
  hit(1),
  hit(5),
  reciprocalRank(10),
  ndcg(10),
  recall(10),
];

/** Only for queries that need several documents. */
export const COMPLETENESS: Measure = completeness(10);
