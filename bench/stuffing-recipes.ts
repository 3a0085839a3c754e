/** Keyword stuffing: ways to stuff a skill with a query, and the signals that the stuffed skill would have if indexed. */

import type { Counterfactual } from '../extensions/authoring/ranking-scenario.ts';
import type { Embedder } from '../index/embedder.ts';
import { termsOf } from '../index/lexical/analysis/analyzer.ts';
import { counterfactualSignals } from '../index/lexical/query/counterfactual.ts';
import type { LexicalQuery } from '../index/lexical/query/query.ts';
import type { Reader } from '../index/reader/reader.ts';
import { dot } from '../index/vectors/float.ts';
import { asStored } from '../index/vectors/matrix.ts';
import { passageSignalsOf } from '../src/search/features.ts';
import { cardFields, cardText } from '../src/search/passages/card.ts';
import { WRITTEN } from '../src/search/ranking.ts';
import type { CatalogEntry } from '../src/sources/scan/entry.ts';

export interface StuffedSkill {
  readonly entry: CatalogEntry;
  /** A passage added to the body or a reference. It may be a comment: the index reads comments like prose. */
  readonly added?: { readonly kind: 'body' | 'reference'; readonly text: string };
  /** A request that the skill says it answers. */
  readonly request?: string;
}

interface Ingredients {
  readonly entry: CatalogEntry;
  readonly query: string;
  /** Words that many queries hold. */
  readonly popular: readonly string[];
  /** The first skill for the query. */
  readonly winner: CatalogEntry;
}

export interface Recipe {
  readonly label: string;
  stuff(ingredients: Ingredients): StuffedSkill;
}

const times = (text: string, count: number) => Array.from({ length: count }, () => text).join(' ');
const hidden = (query: string) => `<!-- ${times(query, 20)} -->`.slice(0, 4_000);
const described = (entry: CatalogEntry, description: string): StuffedSkill => ({
  entry: { ...entry, description },
});

export const RECIPES: readonly Recipe[] = [
  { label: 'not at all', stuff: ({ entry }) => ({ entry }) },
  {
    label: 'list of 200 popular words',
    stuff: ({ entry, popular }) => described(entry, `${entry.description} ${popular.join(', ')}`),
  },
  {
    label: 'query in the description, once',
    stuff: ({ entry, query }) => described(entry, `${entry.description} ${query}`),
  },
  {
    label: 'query in the description, ten times',
    stuff: ({ entry, query }) => described(entry, `${entry.description} ${times(query, 10)}`),
  },
  {
    label: 'query as the whole description',
    stuff: ({ entry, query }) => described(entry, query),
  },
  {
    label: 'query as tags',
    stuff: ({ entry, query }) => ({ entry: { ...entry, tags: query.split(/\s+/) } }),
  },
  {
    label: 'query in a hidden section, 20 times',
    stuff: ({ entry, query }) => ({ entry, added: { kind: 'body', text: hidden(query) } }),
  },
  {
    label: 'query in the description and in a section',
    stuff: ({ entry, query }) => ({
      ...described(entry, `${entry.description} ${query}`),
      added: { kind: 'body', text: query },
    }),
  },
  {
    label: 'query in references, 20 times',
    stuff: ({ entry, query }) => ({ entry, added: { kind: 'reference', text: hidden(query) } }),
  },
  { label: 'query as a request', stuff: ({ entry, query }) => ({ entry, request: query }) },
  {
    label: 'query as a request and in the description',
    stuff: ({ entry, query }) => ({ ...described(entry, `${entry.description} ${query}`), request: query }),
  },
  {
    label: 'description of the winner',
    stuff: ({ entry, winner }) => described(entry, winner.description),
  },
];

interface StuffingContext {
  readonly reader: Reader;
  readonly embedder: Embedder;
  readonly words: LexicalQuery;
  readonly vector: Float32Array | null;
  readonly ordinal: number;
}

/** As `extensions/authoring/reword.ts` measures another description, with tags and one added passage. */
export async function counterfactualOf(
  context: StuffingContext,
  { entry, added, request }: StuffedSkill,
): Promise<Counterfactual> {
  const { reader, embedder, words, vector, ordinal } = context;
  const averages = reader.averages;
  if (averages === null || vector === null)
    throw new Error('Stuffing needs an index with vectors. Index with an embedding model.');
  const kinds = reader.passages.kinds(ordinal);
  const own = kinds.map((kind, at) => ({ kind, text: reader.passages.get(ordinal, at).text }));
  const passages = added === undefined ? own : [...own, added];
  const lexical = counterfactualSignals(words, { ...cardFields(entry), passages }, averages);
  // The ranking does not use the meaning of references.
  const texts = [cardText(entry), ...(added?.kind === 'body' ? [`${entry.name}\n${added.text}`] : [])];
  const asked = request === undefined ? null : dot(vector, await embedder.embedQuery(request));
  const { dimensions } = embedder;
  const vectors = asStored(await embedder.embedPassages(texts), dimensions);
  const [card = 0, section] = texts.map((_, row) =>
    dot(vector, vectors.subarray(row * dimensions, (row + 1) * dimensions)),
  );
  const indexed = passageSignalsOf(reader, Uint32Array.of(ordinal), words, vector);
  const best = Math.max(
    kinds.includes('body') ? indexed.best[0]! : card,
    section ?? Number.NEGATIVE_INFINITY,
  );
  const summary = reader.passages.summaryWith(vectors.subarray(0, dimensions), ordinal);
  return {
    signals: {
      bm25f: lexical.bm25f,
      cardBm25: lexical.card,
      coverage: lexical.bodyCoverage,
      passage: Float32Array.of(
        Math.max(indexed.passage[0]!, added === undefined ? 0 : shareOf(words, added.text)),
      ),
      identifiers: lexical.identifiers,
      name: lexical.nameInQuery,
      byTerm: lexical.byTerm,
      card: Float32Array.of(card),
      best: Float32Array.of(best),
    },
    meaning: dot(vector, summary),
    ...(asked !== null && { similar: WRITTEN * asked }),
  };
}

/** Share of the query's weight held by words that the text contains. */
function shareOf({ terms, mass }: LexicalQuery, text: string): number {
  const held = new Set(termsOf(text));
  return mass > 0
    ? terms.reduce((sum, { term, weight }) => sum + (held.has(term) ? weight : 0), 0) / mass
    : 0;
}
