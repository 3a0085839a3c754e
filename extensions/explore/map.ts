/** The Map view: the plane of the view's skills with what colours them. */

import type { Reader } from '../../index/reader/reader.ts';
import { entryAt, type Searchable } from '../../src/search/search.ts';
import type { Eventually, SkillMap } from './api.ts';
import type { CachedJobs } from './cached-jobs.ts';
import type { UseCounts } from './use.ts';

/** `use` has how often each skill was found and loaded, by id; null without an audit log. */
export function mapView(
  index: Searchable,
  whole: boolean,
  jobs: CachedJobs,
  use: UseCounts | null,
): Eventually<SkillMap> {
  const plane = jobs.progressOf('map', index, whole);
  if (plane.state !== 'done') return plane;
  const { reader } = index;
  const { ids, ...rest } = plane.result;
  const found = jobs.progressOf('collisions', index, whole);
  const positionOf = new Map(ids.map((id, at) => [id, at]));
  const links =
    found.state === 'done'
      ? found.result.found.map(([a, b]) => [positionOf.get(a)!, positionOf.get(b)!] as const)
      : null;
  return {
    state: 'done',
    result: {
      ids,
      ...rest,
      ...factsOf(reader),
      links,
      use: use && {
        found: ids.map((id) => use.found.get(id) ?? 0),
        loaded: ids.map((id) => use.loaded.get(id) ?? 0),
      },
    },
  };
}

type Facts = Pick<SkillMap, 'names' | 'sourceOf' | 'sources' | 'marks'>;

/** Read from disk once for each generation: the page asks again while collisions are being found. */
function factsOf(reader: Reader): Facts {
  const known = facts.get(reader);
  if (known !== undefined) return known;
  const entries = Array.from(reader.ordinalsByKey(), (ordinal) => entryAt(reader, ordinal));
  const sources = [...new Set(entries.map(({ source }) => source))].sort();
  const found = {
    names: entries.map(({ name }) => name),
    sourceOf: entries.map(({ source }) => sources.indexOf(source)),
    sources,
    marks: entries.map(({ marks = [] }) => marks.length),
  };
  facts.set(reader, found);
  return found;
}

const facts = new WeakMap<Reader, Facts>();
