/** MiniSearch with its default settings. */

import MiniSearch from 'minisearch';
import type { Corpus } from '../corpus.ts';
import type { BenchmarkSystem } from './system.ts';

export const minisearchCard: BenchmarkSystem = {
  name: 'minisearch-card',
  about: 'The npm package MiniSearch with its default search on name (boost 2) and description.',
  build: (corpus) => build(corpus, false),
};

export const minisearchBody: BenchmarkSystem = {
  name: 'minisearch-body',
  about: 'The same with the body of SKILL.md as a third field.',
  maxSkills: 5_000,
  build: (corpus) => build(corpus, true),
};

/** Fuzzy and prefix matching stay off (the default): on sentences they take a hundred times as long and rank worse. */
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
