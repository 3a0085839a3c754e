/**
 * Questions about ranking: why a skill ranks where it does, which skills cover a task together, which descriptions collide.
 *
 * `why.ts` ranks one skill in a counterfactual scenario, for example with another description: the card is embedded again and its
 * words are weighed with the index's statistics; nothing is indexed. `bundle.ts` splits a task into subtasks, searches each, and
 * chooses by greedy submodular cover. Leaves over `search/`: search does not know them.
 */

export { type BundleAnswer, type BundleMember, bundle } from './bundle.ts';
export { type Collisions, collisions, NEARLY_SAME_CARD } from './collisions.ts';
export { type Counterfactual, RankingScenario } from './ranking-scenario.ts';
export { type Rival, type WhyAnswer, why } from './why.ts';
