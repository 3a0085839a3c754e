/** The judgements of one query: a grade per document. `measures/` scores rankings with them. */

/** Grade by document id. Above 0 is relevant, higher is better, and an absent document has grade 0. */
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
