/** What the assessors said of one query: the grade of each document. Which ranking earns what is `measures/`. */

/** Grade by document id. Above 0 is relevant, and higher is better; documents that are absent count as 0. */
export type Grades = ReadonlyMap<string, number>;

/** The highest grade of the query, or 0 where no document is relevant. */
export function topGrade(grades: Grades): number {
  let top = 0;
  for (const grade of grades.values()) if (grade > top) top = grade;
  return top;
}

/** The documents that are relevant, whatever their grade. */
export const relevant = (grades: Grades): ReadonlySet<string> =>
  new Set([...grades].filter(([, grade]) => grade > 0).map(([id]) => id));

/**
 * The documents that a searcher hopes for: those of the highest grade that the query has. Empty where no
 * document is relevant. Lower grades earn gain in nDCG, but finding only them is not a hit.
 */
export function targets(grades: Grades): ReadonlySet<string> {
  const top = topGrade(grades);
  const ids = new Set<string>();
  if (top > 0) for (const [id, grade] of grades) if (grade === top) ids.add(id);
  return ids;
}
