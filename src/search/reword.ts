/**
 * A skill with another description, measured without indexing it: its card is embedded anew, its words are weighed
 * with the statistics of the index. Body and references stay as they are indexed.
 */

import {
  asStored,
  type Embedder,
  type LexicalQuery,
  type PassageKind,
  type Reader,
  trialSignals,
} from '#index';
import type { CatalogEntry } from '../catalog/entry.ts';
import { cardFields, cardText } from '../passages/card.ts';
import type { Trial } from './standing.ts';

export interface Rewording {
  /** One trial for each description, in their order. */
  of(descriptions: readonly string[]): Promise<Trial[]>;
}

export interface RewordingOptions {
  readonly reader: Reader;
  /** Null where words alone are searched. */
  readonly embedder: Embedder | null;
  readonly words: LexicalQuery;
  /** The query's; null where words alone are searched. */
  readonly vector: Float32Array | null;
  readonly ordinal: number;
  readonly entry: CatalogEntry;
}

export function rewording({ reader, embedder, words, vector, ordinal, entry }: RewordingOptions): Rewording {
  const kinds = reader.passageKinds(ordinal);
  const passages = kinds.map((kind, at) => ({
    kind,
    text: kind === 'card' ? '' : reader.passage(ordinal, at).text,
  }));
  const averages = reader.averages;
  if (averages === null)
    throw new RangeError(`There is no document ${ordinal} in an index without documents.`);
  const bestPassage = vector === null ? null : bestOfBody(reader.passageCosines(vector, ordinal), kinds);

  const signalsWith = (description: string, cosine: number): Trial['signals'] => {
    const document = { ...cardFields({ ...entry, description }), passages };
    const lexical = trialSignals(words, document, averages);
    return {
      bm25f: lexical.bm25f,
      cardBm25: lexical.card,
      coverage: lexical.bodyCoverage,
      nameInQuery: lexical.nameInQuery,
      // Looked up when it is ranked, as it is indexed: a description is no part of a passage.
      passage: Float32Array.of(0),
      identifiers: lexical.identifiers,
      card: Float32Array.of(cosine),
      best: Float32Array.of(bestPassage ?? cosine),
    };
  };

  return {
    async of(descriptions) {
      if (vector === null || embedder === null)
        return descriptions.map((description) => {
          const signals = signalsWith(description, 0);
          return { signals, reach: { words: signals.bm25f[0]!, meaning: 0 } };
        });
      const { dimensions } = embedder;
      const texts = descriptions.map((description) => cardText({ ...entry, description }));
      const cards = await embedder.embedPassages(texts);
      const stored = asStored(cards, dimensions);
      return descriptions.map((description, at) => {
        const rowOf = (rows: Float32Array) => rows.subarray(at * dimensions, (at + 1) * dimensions);
        const signals = signalsWith(description, dot(vector, rowOf(stored)));
        const summary = reader.summaryWith(rowOf(cards), ordinal);
        return { signals, reach: { words: signals.bm25f[0]!, meaning: dot(vector, summary) } };
      });
    },
  };
}

/** Null where the skill has no body: its card then stands for it. */
function bestOfBody(cosines: Float32Array, kinds: readonly PassageKind[]): number | null {
  const body = cosines.filter((_, at) => kinds[at] === 'body');
  return body.length === 0 ? null : Math.max(...body);
}

function dot(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let at = 0; at < a.length; at += 1) sum += a[at]! * b[at]!;
  return sum;
}
