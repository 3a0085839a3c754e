/**
 * Measures of a ranking against the judgements of one query: nDCG, which rewards relevant documents near the top, and hits.
 * Each has its definition and its source.
 */

/** The judgements of one query: grade by document id. Above 0 is relevant, higher is better, and an absent document has grade 0. */
export type Grades = ReadonlyMap<string, number>;

/** The highest grade, or 0 where no document is relevant. */
export function topGrade(grades: Grades): number {
  let top = 0;
  for (const grade of grades.values()) if (grade > top) top = grade;
  return top;
}

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
export function cutoff(k: number): number {
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

/** Rank, from 1, of the first document of the query's highest grade; null where none is in the first `depth`. */
export function firstHit(ranking: readonly string[], grades: Grades, depth = ranking.length): number | null {
  const wanted = targets(grades);
  const index = ranking.slice(0, depth).findIndex((id) => wanted.has(id));
  return index === -1 ? null : index + 1;
}
