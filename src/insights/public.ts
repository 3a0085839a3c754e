/**
 * What a catalog and its ranking look like from above: why a skill ranks where it does, which skills cover a task together,
 * which descriptions collide, what a group of skills is about.
 *
 * `why.ts` ranks one skill in a counterfactual scenario, for example with another description: the card is embedded again and its
 * words are weighed with the index's statistics; nothing is indexed. `bundle.ts` splits a task into subtasks, searches each, and
 * chooses by greedy submodular cover. `topics.ts` names groups that its callers made. Leaves over `search/`: search does not know them.
 */

export { type BundleAnswer, type BundleMember, bundle } from './bundle.ts';
export { type Collisions, collidingPairs, collisions, collisionsWith } from './collisions.ts';
export { type AskedRequest, type Proposal, propose } from './propose.ts';
export { rankChanges } from './rank-changes.ts';
export { type Counterfactual, RankingScenario } from './ranking-scenario.ts';
export { COLLIDES, TellApart } from './tell-apart.ts';
export { nameTopics } from './topics.ts';
export { NEARLY_SAME_CARD, type Rival, type WhyAnswer, why } from './why.ts';
