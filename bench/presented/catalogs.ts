/** The catalogs of `bench -- choices`: the same requests over 40, 325, 2,000 and all skills, each with its right skill in it. */

import type { Dataset, Query } from '../../extensions/eval/dataset.ts';
import { targets } from '../../extensions/eval/measures.ts';
import { seeded, shuffled } from '../evaluation/statistics.ts';

/** One catalog and what is asked of it. */
export interface Stage {
  /** Skills that the catalog is to have; the whole one has fewer than asked for. */
  readonly size: number;
  /** Number among the catalogs of this size, from 0. */
  readonly part: number;
  /** Ids, sorted. */
  readonly skills: readonly string[];
  /** Requests with one of their best skills in it. */
  readonly fitting: readonly Query[];
  /** Requests without any skill that was judged relevant. */
  readonly unfitting: readonly Query[];
}

/** A small catalog holds the right skills of so many requests; the others of a size hold those of all. */
const REQUESTS_OF_SMALL = 36;
const SMALL = 40;
export const SIZES = [SMALL, 325, 2_000, Number.POSITIVE_INFINITY];

/**
 * All catalogs, drawn with `seed`. `nameOf`: skills of a catalog have different names as far as they are drawn. `unfitting`:
 * requests whose judged skills stand in no catalog.
 */
export function stagesOf(
  dataset: Dataset,
  unfitting: Dataset,
  ids: readonly string[],
  nameOf: (id: string) => string,
  seed: number,
): Stage[] {
  const withheld = new Set([...unfitting.qrels.values()].flatMap((grades) => [...grades.keys()]));
  const usable = ids.filter((id) => !withheld.has(id)).sort();
  const stages: Stage[] = [];
  for (const size of SIZES) {
    const random = seeded(seed);
    const isSmall = size === SMALL;
    const queries = shuffled(dataset.queries, random);
    const strangers = shuffled(unfitting.queries, random);
    const parts = isSmall ? Math.ceil(queries.length / REQUESTS_OF_SMALL) : 1;
    for (let part = 0; part < parts; part++) {
      const mine = <T>(all: readonly T[]) => all.filter((_, at) => at % parts === part);
      const isWhole = !Number.isFinite(size);
      const skills = isWhole ? usable : drawn(mine(queries), dataset, usable, size, nameOf, random);
      const has = new Set(skills);
      const fitting = mine(queries).filter(({ id }) =>
        [...best(dataset, id)].some((skill) => has.has(skill)),
      );
      stages.push({ size: skills.length, part, skills, fitting, unfitting: mine(strangers) });
    }
  }
  return stages;
}

/** The skills that a request is judged to be best served by, over the whole catalog. */
export const best = (dataset: Pick<Dataset, 'qrels'>, query: string): ReadonlySet<string> =>
  targets(dataset.qrels.get(query) ?? new Map());

/** A best skill of each query, then random ones; none has the name of another. */
function drawn(
  queries: readonly Query[],
  dataset: Dataset,
  usable: readonly string[],
  size: number,
  nameOf: (id: string) => string,
  random: () => number,
): readonly string[] {
  const known = new Set(usable);
  const names = new Map<string, string>();
  for (const { id } of queries) {
    const all = shuffled(
      [...best(dataset, id)].filter((skill) => known.has(skill)),
      random,
    );
    if (all.some((skill) => names.get(nameOf(skill)) === skill)) continue;
    const one = all.find((skill) => !names.has(nameOf(skill)));
    if (one !== undefined) names.set(nameOf(one), one);
  }
  while (names.size < size) {
    const id = usable[Math.floor(random() * usable.length)]!;
    if (!names.has(nameOf(id))) names.set(nameOf(id), id);
  }
  return [...names.values()].sort();
}
