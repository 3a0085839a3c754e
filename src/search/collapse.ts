/** Folds near-identical skills (mirrors, copies, translations of a name) into one hit. */

/** A group of near-identical candidates: the best one and the others. Numbers are candidates. */
export interface Folded {
  readonly leader: number;
  readonly twins: readonly number[];
}

/**
 * Estimated share of common body words from which two skills count as near-identical. In the public catalog, pairs
 * above it are the same text with edits of a line or a name; siblings generated from one template, such as one API
 * client each, are below.
 */
export const TWIN_SIMILARITY = 0.9;

/**
 * Walks down the ranking: each candidate joins the first leader that it resembles, or whose group holds a translation of
 * it, else becomes a leader. After `wanted` leaders, the rest can only join. `more` is true if another leader would follow.
 */
export function collapse(
  order: readonly number[],
  wanted: number,
  areTwins: (a: number, b: number) => boolean,
  areTranslations: (a: number, b: number) => boolean = () => false,
): { folded: Folded[]; more: boolean } {
  const leaders: { leader: number; twins: number[] }[] = [];
  let more = false;
  // A mirror holds translations of its own copy, which is a twin of the leader.
  const belongs = ({ leader, twins }: Folded, candidate: number) =>
    areTwins(leader, candidate) || [leader, ...twins].some((member) => areTranslations(member, candidate));
  for (const candidate of order) {
    let group = 0;
    while (group < leaders.length && !belongs(leaders[group]!, candidate)) group += 1;
    if (group < leaders.length) leaders[group]!.twins.push(candidate);
    else if (leaders.length < wanted) leaders.push({ leader: candidate, twins: [] });
    else more = true;
  }
  return { folded: leaders, more };
}
