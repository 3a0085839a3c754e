/**
 * Chooses a small set of skills that covers a task, given how well each skill fits each part. Knows numbers only.
 *
 * The worth of a set is the weighted sum over the parts of its best member's fit (facility location), which is
 * monotone and submodular: each further skill adds less. Greedy choice is then within 1 − 1/e of the best set of
 * that size (Nemhauser, Wolsey and Fisher, Mathematical Programming 14, 1978). The bound does not hold for skills
 * left out by the budget, as near-identical, or by the least gain. Costs only decide whether a skill fits the
 * budget.
 */

export interface Coverable {
  /** Fit of each skill for each part, 0–1: `fits[part][skill]`. */
  readonly fits: readonly ArrayLike<number>[];
  /** Weight of each part, ≥ 0. */
  readonly weights: readonly number[];
  /** Number of skills. */
  readonly skills: number;
  /** Cost of a skill, in the unit of the budget. Called only for skills about to be taken. */
  readonly costOf: (skill: number) => number;
  readonly budget: number;
  /** Most members. */
  readonly most: number;
  /** A skill is taken only if it adds at least this to the worth. */
  readonly least: number;
  /** Whether two skills are near-identical, so that one is enough. */
  readonly areTwins: (a: number, b: number) => boolean;
}

interface Cover {
  /** Skills in order of choice. */
  readonly members: readonly number[];
  /** Skills left out only because of the budget, once each. */
  readonly tooLarge: readonly number[];
}

export function cover(task: Coverable): Cover {
  const { fits, weights, skills, costOf, budget, most, least, areTwins } = task;
  const reached = new Float64Array(weights.length);
  const members: number[] = [];
  const tooLarge: number[] = [];
  const passed = new Set<number>();
  let left = budget;
  while (members.length < most) {
    let best = -1;
    let bestGain = 0;
    for (let skill = 0; skill < skills; skill += 1) {
      if (passed.has(skill)) continue;
      let gain = 0;
      for (let part = 0; part < weights.length; part += 1)
        gain += weights[part]! * Math.max(0, fits[part]![skill]! - reached[part]!);
      if (gain > bestGain) {
        best = skill;
        bestGain = gain;
      }
    }
    if (best === -1 || bestGain < least) break;
    passed.add(best);
    if (members.some((member) => areTwins(member, best))) continue;
    const cost = costOf(best);
    if (cost > left) {
      tooLarge.push(best);
      continue;
    }
    left -= cost;
    members.push(best);
    for (let part = 0; part < weights.length; part += 1)
      reached[part] = Math.max(reached[part]!, fits[part]![best]!);
  }
  return { members, tooLarge };
}
