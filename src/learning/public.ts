/**
 * Search that learns from what agents load: off by default (`learn`).
 *
 * `collector.ts` turns calls into evidence: a search, and the load of one of its hits. `store.ts` keeps it in an append-only log
 * next to the index, `history.ts` is its sum in memory: bounded, decaying, forgotten with the skill. `signal.ts` compares a
 * query with what each skill was asked for; `search/` decides how much that moves. Texts of requests leave this room only for
 * the commands of the operator. The choices are in `docs/decisions/learning.md`.
 */

export { Collector, type Verdict } from './collector.ts';
export { splitByTime } from './from-use.ts';
export type { SkillHistory, Use } from './history.ts';
export { requestText } from './request-text.ts';
export { LearnedSignal } from './signal.ts';
export { LearnedStore } from './store.ts';
export { exported, imported } from './transfer.ts';
