/** The Label view: measures a set of labelled queries as `skillgate eval` does, and draws a template of one. */

import type { Reader } from '#index';
import { asSystem, type Dataset, evaluate, makeTemplate } from '../evaluation/public.ts';
import type { Gateway } from '../gateway/public.ts';
import { entryAt } from '../search/public.ts';
import type { LabelledQuery, Measured, TemplateRow } from './api.ts';

/** Ranks requested: the deepest cut-off of the measures. */
const DEPTH = 10;

export async function measure(
  queries: readonly LabelledQuery[],
  gateway: Pick<Gateway, 'search'>,
): Promise<Measured> {
  const dataset: Dataset = {
    name: 'labels',
    queries: queries.map(({ id, text }) => ({ id, text })),
    qrels: new Map(queries.map(({ id, grades }) => [id, new Map(Object.entries(grades))])),
    notes: [],
  };
  const system = { name: 'skillgate', ...asSystem((request) => gateway.search(request)) };
  const { queries: answerable, means, results } = await evaluate(system, dataset, { depth: DEPTH });
  return {
    queries: answerable,
    means,
    results: results.map(({ query, ranking, firstHit, values }) => ({
      id: query.id,
      answerable: values !== null,
      rank: firstHit,
      winner: ranking[0]?.id ?? null,
    })),
  };
}

/** Skills to write queries for, drawn at random but always the same. */
export function template(reader: Reader): TemplateRow[] {
  const skills = Array.from(reader.ordinalsByKey(), (ordinal) => {
    const { id, name, description } = entryAt(reader, ordinal);
    return {
      id,
      name,
      description,
      // Read from disk: only those of the drawn skills.
      get headings() {
        return reader.passages.headings(ordinal);
      },
    };
  });
  const { 'queries.jsonl': queries, 'qrels.tsv': qrels } = makeTemplate(skills);
  const wanted = new Map(
    qrels
      .split('\n')
      .map((line) => line.split('\t'))
      .map(([query = '', skill = '']) => [query, skill]),
  );
  // Written by `makeTemplate`.
  return queries
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { _id: string; style: string; hint: Record<string, unknown> })
    .map(({ _id, style, hint }) => ({
      id: _id,
      style,
      hint: Object.entries(hint).map(
        ([name, value]) => `${name}: ${Array.isArray(value) ? value.join(', ') : value}`,
      ),
      wanted: wanted.get(_id) ?? null,
    }));
}
