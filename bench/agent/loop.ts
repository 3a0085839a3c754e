/**
 * The agent's loop: a query, an answer, a choice; once more if the choice is to search again. How often it ends with a best
 * skill, and how many tokens it reads and writes.
 */

import type { Dataset } from '../../extensions/eval/dataset.ts';
import { targets } from '../../extensions/eval/measures.ts';
import { mean } from '../evaluation/statistics.ts';
import { columns, percent } from '../evaluation/table.ts';
import { isJudged } from '../holes.ts';
import { tokensIn } from '../tokens.ts';
import type { Shown } from './answers.ts';
import type { Chooser } from './choices.ts';

const CALLS = 2;
/** Of 3: the skill covers the request. */
const USEFUL_GRADE = 2;

/** A query as an agent asks it. */
export interface Asked {
  readonly id: string;
  readonly text: string;
  /** The person's words. */
  readonly request: string;
  readonly style?: string | undefined;
}

/** How the loop ended for one request. */
export interface Outcome {
  readonly id: string;
  readonly style: string;
  /** Full id of the loaded skill after each call; null if none was loaded by then. As many as there were calls. */
  readonly loaded: readonly (string | null)[];
  /** Full ids of the hits of the first answer. */
  readonly shown: readonly string[];
  /** Full ids of the skills that the first answer names behind its hits. */
  readonly named: readonly string[];
  /** Of all queries and answers. */
  readonly tokens: number;
  /** A choice was recorded for another answer; it counts if what it loads is still shown. */
  readonly isStale: boolean;
}

/** Runs the loop for each query that the chooser knows; the others are left out. */
export async function runLoop(
  queries: readonly Asked[],
  ask: (query: string) => Promise<Shown>,
  choose: Chooser,
): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const query of queries) {
    const outcome = await loopOf(query, ask, choose);
    if (outcome !== null) outcomes.push(outcome);
  }
  return outcomes;
}

async function loopOf(
  { id, text, request, style = '' }: Asked,
  ask: (query: string) => Promise<Shown>,
  choose: Chooser,
): Promise<Outcome | null> {
  const loaded: (string | null)[] = [];
  let first: Shown | null = null;
  let tokens = 0;
  let isStale = false;
  for (let query: string | null = text; query !== null && loaded.length < CALLS; ) {
    const shown = await ask(query);
    first ??= shown;
    tokens += tokensIn(query) + tokensIn(shown.text);
    const chosen = await choose({ id, request, query, answer: shown.text });
    if (chosen === null) {
      if (loaded.length === 0) return null;
      // The second query of a recorded loop was asked, but nothing is known of what followed.
      isStale = true;
      break;
    }
    isStale ||= chosen.isStale;
    const { choice } = chosen;
    loaded.push('load' in choice ? loadedOf(shown, choice.load) : null);
    query = 'search' in choice ? choice.search : null;
  }
  const { skills = new Map(), also = new Map() } = first ?? {};
  return { id, style, loaded, shown: [...skills.values()], named: [...also.values()], tokens, isStale };
}

/** Null if the answer does not have the id. */
const loadedOf = ({ skills, also }: Shown, id: string) => skills.get(id) ?? also.get(id) ?? null;

/** One row for all, then one for each style. */
export function loopTable(outcomes: readonly Outcome[], judged: Pick<Dataset, 'qrels'>): string {
  const head = [
    'best skill, %',
    'requests',
    'among the hits',
    'named',
    'loaded after 1 call',
    'after 2',
    'useful after 2',
    'none loaded',
    'not judged',
    'tokens',
  ];
  const row = (name: string, some: readonly Outcome[]) => {
    const share = (is: (outcome: Outcome) => boolean) => percent(mean(some.map((each) => Number(is(each)))));
    const isBest = ({ id }: Outcome, skill: string | null | undefined) =>
      skill != null && targets(judged.qrels.get(id) ?? new Map()).has(skill);
    const last = ({ loaded }: Outcome) => loaded.at(-1) ?? null;
    return [
      name,
      String(some.length),
      share((each) => each.shown.some((skill) => isBest(each, skill))),
      share((each) => [...each.shown, ...each.named].some((skill) => isBest(each, skill))),
      share((each) => isBest(each, each.loaded[0])),
      share((each) => isBest(each, last(each))),
      share((each) => (judged.qrels.get(each.id)?.get(last(each) ?? '') ?? 0) >= USEFUL_GRADE),
      share((each) => last(each) === null),
      share((each) => last(each) !== null && !isJudged(judged, each.id, last(each)!)),
      mean(some.map(({ tokens }) => tokens)).toFixed(0),
    ];
  };
  const styles = [...new Set(outcomes.map(({ style }) => style))].filter((style) => style !== '');
  const rows = [
    row('all', outcomes),
    ...styles.map((style) =>
      row(
        `  ${style}`,
        outcomes.filter((each) => each.style === style),
      ),
    ),
  ];
  const stale = outcomes.filter(({ isStale }) => isStale).length;
  const note =
    stale === 0
      ? ''
      : `STALE: ${stale} of ${outcomes.length} choices were made on an answer that read otherwise. They count where the skill is still shown, and say little of today's answer.\n`;
  return `${note}${columns([head, ...rows])}`;
}
