/** Near-identical skills (mirrors, copies, translations of a name) take one place in an answer, not five. */

/** One of a group of twins, with the others folded under it. Numbers are candidates. */
export interface Folded {
  readonly leader: number;
  readonly twins: readonly number[];
}

/**
 * Estimated share of common body words from which two skills count as twins. In the public catalog that this was
 * set on, pairs above it are the same text with edits of a line or a name; siblings generated from one template
 * (one API client each, say) stay below.
 */
export const TWIN_SIMILARITY = 0.9;

/**
 * Walks down the ranking; each candidate joins the first leader that it resembles, else leads. Stops once `wanted`
 * leaders stand and the next candidate would be another. Twins of leaders are still found among the rest.
 */
export function collapse(
  order: readonly number[],
  wanted: number,
  areTwins: (a: number, b: number) => boolean,
): { folded: Folded[]; more: boolean } {
  const leaders: { leader: number; twins: number[] }[] = [];
  let more = false;
  for (const candidate of order) {
    let group = 0;
    while (group < leaders.length && !areTwins(leaders[group]!.leader, candidate)) group += 1;
    if (group < leaders.length) leaders[group]!.twins.push(candidate);
    else if (leaders.length < wanted) leaders.push({ leader: candidate, twins: [] });
    else more = true;
  }
  return { folded: leaders, more };
}
