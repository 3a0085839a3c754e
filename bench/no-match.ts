/**
 * Queries without an answer: foreign requests, which no skill answers; or the queries of a dataset after the skills that
 * answer half of them are removed from the catalog. The latter are harder, because the catalog is still full of similar
 * skills. They are a little pessimistic, because an unjudged skill may answer them.
 */

import type { Dataset } from '../extensions/eval/dataset.ts';
import { answersTo } from './catalog-sizes.ts';
import { seeded, shuffled } from './evaluation/statistics.ts';

/** The dataset and the queries of `foreign`, which count as unanswered; their own judgements are ignored. */
export function withForeign(dataset: Dataset, foreign: Dataset): Dataset {
  const queries = foreign.queries.map(({ id, text }) => ({ id: `${foreign.name}:${id}`, text }));
  return { ...dataset, name: `${dataset.name}-foreign`, queries: [...dataset.queries, ...queries] };
}

interface Withheld {
  /** All queries of the dataset; those whose skills are withheld have no judgements. */
  readonly dataset: Dataset;
  /** Ids to remove from the catalog. */
  readonly skills: ReadonlySet<string>;
}

/**
 * Withholds the answers to at most a `share` (0–1) of the answerable queries, drawn with `seed`. Queries that share a
 * skill, directly or through other queries, stay together: each keeps all of its answers or none.
 */
export function withhold(dataset: Dataset, share = 0.5, seed = 1): Withheld {
  const groups = connected(dataset);
  const most = share * groups.reduce((sum, group) => sum + group.queries.length, 0);
  const skills = new Set<string>();
  const qrels = new Map(dataset.qrels);
  let withheld = 0;
  for (const group of shuffled(groups, seeded(seed))) {
    if (withheld + group.queries.length > most) continue;
    withheld += group.queries.length;
    for (const skill of group.skills) skills.add(skill);
    for (const query of group.queries) qrels.delete(query);
  }
  return { dataset: { ...dataset, name: `${dataset.name}-withheld`, qrels }, skills };
}

interface Group {
  readonly queries: string[];
  readonly skills: Set<string>;
}

/** Ids of the answerable queries, in groups that share no relevant skill. */
function connected(dataset: Dataset): Group[] {
  let groups: Group[] = [];
  for (const query of dataset.queries) {
    const own = answersTo(dataset, query);
    if (own.length === 0) continue;
    const touching = groups.filter((group) => own.some((skill) => group.skills.has(skill)));
    const joined: Group = {
      queries: [...touching.flatMap(({ queries }) => queries), query.id],
      skills: new Set([...touching.flatMap((group) => [...group.skills]), ...own]),
    };
    groups = [...groups.filter((group) => !touching.includes(group)), joined];
  }
  return groups;
}
