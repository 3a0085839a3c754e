/** A query set made of what was learned, held apart by time: learn from the first part, ask the requests of the last. */

import { History } from './history.ts';
import type { Known } from './records.ts';
import { requestKey } from './request-text.ts';

/** Share of the uses that are asked, the latest ones. */
const ASKED = 0.3;
/** Fewer requests would measure nothing. */
const FEWEST = 5;

export interface FromUse {
  /** What was learned before. */
  readonly history: History;
  /** When the part to ask begins, seconds since 1970. */
  readonly since: number;
  /** Requests with the ids of the skills that they were loaded for; none of them is in `history` for that skill. */
  readonly asked: readonly { readonly request: string; readonly skills: readonly string[] }[];
}

/** Null where too little was learned. `halfLife` in seconds. */
export function splitByTime(whole: History, halfLife: number): FromUse | null {
  const all = [...whole.known()].sort((a, b) => a.first - b.first);
  const since = all[Math.floor((1 - ASKED) * all.length)]?.first;
  if (since === undefined) return null;
  const history = new History(halfLife);
  // Counts from later on must not tell what was asked later.
  for (const known of all)
    if (known.first < since)
      history.apply({ ...known, used: Math.min(1, known.used), left: [], last: known.first });
  const asked = new Map<string, { request: string; skills: string[] }>();
  for (const known of all) {
    const key = requestKey(known.request);
    const isKnown = history.skills.get(known.skill)?.requests.has(key) === true;
    if (known.first < since || isKnown || !helped(known)) continue;
    const entry = asked.get(key) ?? { request: known.request, skills: [] };
    if (!entry.skills.includes(known.skill)) entry.skills.push(known.skill);
    asked.set(key, entry);
  }
  return asked.size < FEWEST ? null : { history, since, asked: [...asked.values()] };
}

const helped = ({ used, left }: Known) => used > left.reduce((sum, [, times]) => sum + times, 0);
