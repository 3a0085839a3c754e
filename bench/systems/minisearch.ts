/** MiniSearch, the npm package itself, as it is out of the box. */

import MiniSearch from 'minisearch';
import type { Corpus } from '../corpus.ts';
import type { Arm } from './arm.ts';

export const minisearchCard: Arm = {
  name: 'minisearch-card',
  about: 'The npm package MiniSearch with its default search on name (boost 2) and description.',
  build: (corpus) => build(corpus, false),
};

export const minisearchBody: Arm = {
  name: 'minisearch-body',
  about: 'The same with the body of SKILL.md as a third field.',
  limit: 5_000,
  build: (corpus) => build(corpus, true),
};

/** Fuzzy and prefix matching stay off, as by default: on sentences they cost a hundredfold and lower the ranks. */
async function build({ skills, body }: Corpus, withBody: boolean) {
  const index = new MiniSearch({
    fields: withBody ? ['name', 'description', 'body'] : ['name', 'description'],
    searchOptions: { boost: { name: 2 } },
  });
  index.addAll(skills.map((skill) => (withBody ? { ...skill, body: body(skill.id) } : skill)));
  return {
    search: async (query: string, k: number) =>
      index
        .search(query)
        .slice(0, k)
        .map(({ id, score }) => ({ id: String(id), score })),
  };
}
