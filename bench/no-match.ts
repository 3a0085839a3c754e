/**
 * Queries that nothing answers: foreign ones, which no skill is for; or made from ones that something does, the skills
 * that answer half of the queries taken out of the catalog. The latter are harder, since the catalog is still full of
 * neighbours, and a little pessimistic, since an unjudged neighbour may do.
 */

import { type Dataset, seeded, shuffled } from '../src/evaluation/public.ts';
import { answersTo } from './sizes.ts';

/** The dataset's queries and another's, which nothing in the catalog answers, whatever was judged of them elsewhere. */
export function withForeign(dataset: Dataset, foreign: Dataset): Dataset {
  const queries = foreign.queries.map(({ id, text }) => ({ id: `${foreign.name}:${id}`, text }));
  return { ...dataset, name: `${dataset.name}-foreign`, queries: [...dataset.queries, ...queries] };
}

export interface Withheld {
  /** All queries of the dataset; those whose skills are withheld have no judgements left. */
  readonly dataset: Dataset;
  /** Ids to take out of the catalog. */
  readonly skills: ReadonlySet<string>;
}

/**
 * Withholds what answers about a share of the answerable queries, 0–1, at most that many, drawn by `seed`. Queries
 * that share a skill, directly or by others between them, go together, so that each keeps all of its answers or none.
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

/** Answerable queries by id, in groups that have no relevant skill in common. */
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
