/**
 * Computes the signals of a skill under another description, without indexing it: its card is embedded, and its
 * words are weighted with the statistics of the index. Body and references stay as indexed.
 */

import { counterfactualSignals } from '../../index/lexical/query/counterfactual.ts';
import { dot } from '../../index/vectors/float.ts';
import { asStored } from '../../index/vectors/matrix.ts';
import type { CatalogEntry, Embedder, LexicalQuery, Reader } from '../../src/app/extension-api.ts';
import { passageSignalsOf } from '../../src/search/features.ts';
import { cardFields, cardText } from '../../src/search/passages/card.ts';
import type { Counterfactual } from './ranking-scenario.ts';

interface RewordingOptions {
  readonly reader: Reader;
  /** Null where words alone are searched. */
  readonly embedder: Embedder | null;
  readonly words: LexicalQuery;
  /** The query's vector; null where words alone are searched. */
  readonly vector: Float32Array | null;
  readonly ordinal: number;
  readonly entry: CatalogEntry;
}

/** What a skill would be under other descriptions: one counterfactual for each, in their order. */
export function rewording({ reader, embedder, words, vector, ordinal, entry }: RewordingOptions) {
  const kinds = reader.passages.kinds(ordinal);
  const passages = kinds.map((kind, at) => ({
    kind,
    text: kind === 'card' ? '' : reader.passages.get(ordinal, at).text,
  }));
  const averages = reader.averages;
  if (averages === null)
    throw new RangeError(`There is no document ${ordinal} in an index without documents.`);
  // Passages do not contain the description. Without a body, the card replaces it.
  const seen = passageSignalsOf(reader, Uint32Array.of(ordinal), words, vector);
  const hasBody = kinds.includes('body');

  const signalsWith = (description: string, cosine: number): Counterfactual['signals'] => {
    const document = { ...cardFields({ ...entry, description }), passages };
    const lexical = counterfactualSignals(words, document, averages);
    return {
      bm25f: lexical.bm25f,
      cardBm25: lexical.card,
      coverage: lexical.bodyCoverage,
      passage: seen.passage,
      identifiers: lexical.identifiers,
      name: lexical.nameInQuery,
      byTerm: lexical.byTerm,
      card: Float32Array.of(cosine),
      best: hasBody ? seen.best : Float32Array.of(cosine),
    };
  };

  return async (descriptions: readonly string[]): Promise<Counterfactual[]> => {
    if (vector === null || embedder === null)
      return descriptions.map((description) => ({ signals: signalsWith(description, 0), meaning: 0 }));
    const { dimensions } = embedder;
    const texts = descriptions.map((description) => cardText({ ...entry, description }));
    const cards = await embedder.embedPassages(texts);
    const stored = asStored(cards, dimensions);
    return descriptions.map((description, at) => {
      const vectorRow = (rows: Float32Array) => rows.subarray(at * dimensions, (at + 1) * dimensions);
      const summary = reader.passages.summaryWith(vectorRow(cards), ordinal);
      return {
        signals: signalsWith(description, dot(vector, vectorRow(stored))),
        meaning: dot(vector, summary),
      };
    });
  };
}
