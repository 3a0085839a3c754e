/**
 * BM25F: how much a term tells of a document. The formula, its parameters and its storage as 16-bit impacts.
 *
 * Zaragoza, Craswell, Taylor, Saria & Robertson, "Microsoft Cambridge at TREC-13" (2004); Robertson & Zaragoza,
 * "The Probabilistic Relevance Framework: BM25 and Beyond" (2009), section 3.6.
 */

import { FIELDS, type Field } from '../../passage.ts';

export interface Bm25fParameters {
  /** How slowly repetition saturates, > 0; a term's impact stays below k1 + 1. */
  readonly k1: number;
  /** How much a field's length counts, 0 (not) to 1 (fully). */
  readonly b: Readonly<Record<Field, number>>;
  /** What an occurrence in each field is worth, ≥ 0. */
  readonly weights: Readonly<Record<Field, number>>;
  /** Occurrences in name, and in description, that count; from 1. */
  readonly mostInCard: number;
  /** What a term of name or description is worth where neither body nor references hold it, 0 to 1. */
  readonly unsupported: number;
}

/** Mean length of each field in words, over the documents whose terms are weighed together. */
export type FieldAverages = Readonly<Record<Field, number>>;

/**
 * k1 as in Robertson & Zaragoza. Weights and b by a grid over the 887 queries of shared/data on its 24,849 skills,
 * from name 2, description 1, body 0.4, reference 0.1 and b 0.75 throughout. Hit@1 / nDCG@10 on dev and
 * skill-evals: 46.8 / 60.6 and 63.2 / 73.5 as below; body 0.4, reference 0.1 44.0 / 59.4 and 63.6 / 73.6; no
 * references 43.1 / 60.0 and 59.5 / 70.2; body b 0.75 there 41.3 / 59.0 and 58.9 / 70.0. All neighbours are
 * within a point: it is a plateau.
 *
 * `mostInCard` and `unsupported` are against stuffing: what name and description repeat, and what nothing else in the
 * document bears out. They cost nothing: 51.4 / 69.0 and 63.4 / 73.5 for the whole product without them, 51.4 / 68.7
 * to 69.2 and 63.2 to 63.8 / 73.5 to 73.6 with either (`bench/README.md` has what they prevent).
 */
export const BM25F: Bm25fParameters = {
  k1: 1.2,
  b: { name: 0.75, description: 0.75, body: 0.9, reference: 0.75 },
  weights: { name: 2, description: 1, body: 0.3, reference: 0.07 },
  mostInCard: 2,
  unsupported: 0.3,
};

/** Number of fields: the width of a row of lengths or frequencies. */
export const WIDTH = FIELDS.length;

/**
 * What one step of a stored impact is worth: (k1 + 1) / 65,535 = 3.4e-5 for k1 1.2, so rounding changes an impact
 * by at most 1.7e-5, a score by that times the query's idf mass: less than the last digit that is shown.
 */
export function impactStep(parameters: Bm25fParameters = BM25F): number {
  return (parameters.k1 + 1) / 0xffff;
}

/** Part of the highest possible impact that a weighed count has earned, 0 to k1 + 1 (never reached). */
export function saturate(count: number, k1: number): number {
  return (count * (k1 + 1)) / (k1 + count);
}

/**
 * Inverse document frequency, > 0: what a term found in `frequency` of `documents` is worth. The form of Lucene,
 * ln(1 + (N − df + 0.5) / (df + 0.5)), which stays positive for terms in more than half of the documents.
 */
export function idf(documents: number, frequency: number): number {
  return Math.log(1 + (Math.max(0, documents - frequency) + 0.5) / (frequency + 0.5));
}

/**
 * Mean length of each field over the documents that have it; 0 where none does. `lengths` has a row of `WIDTH` a
 * document. Most skills have no references: a mean over all would make every reference look long (measured on
 * shared/data with reference weight 0.1, Hit@1 / nDCG@10: 41.3 / 59.1 and 61.1 / 71.7 instead of 44.0 / 59.1 and
 * 63.4 / 73.5).
 */
export function averagesOf(lengths: Uint32Array): FieldAverages {
  const sums = new Float64Array(WIDTH);
  const having = new Float64Array(WIDTH);
  for (let at = 0; at < lengths.length; at += 1) {
    sums[at % WIDTH]! += lengths[at]!;
    if (lengths[at]! > 0) having[at % WIDTH]! += 1;
  }
  const [name, description, body, reference] = sums.map((sum, field) => sum / Math.max(1, having[field]!));
  return { name: name!, description: description!, body: body!, reference: reference! };
}

/** Postings weighed: columns of `LexicalColumns`. */
export interface Impacts {
  readonly impacts: Uint16Array;
  readonly cardImpacts: Uint16Array;
  readonly fields: Uint8Array;
}

/** Weighs postings by the frequencies and lengths stored beside them. Equal input gives equal bits. */
export function weigh(
  postings: Uint32Array,
  frequencies: Uint8Array,
  lengths: Uint32Array,
  averages: FieldAverages,
  parameters: Bm25fParameters = BM25F,
): Impacts {
  return weighBy(postings, frequencies, lengthFactors(lengths, averages, parameters), parameters);
}

/** The same with the documents' factors at hand, for who weighs some postings at a time. */
export function weighBy(
  postings: Uint32Array,
  frequencies: Uint8Array,
  factors: Float64Array,
  parameters: Bm25fParameters = BM25F,
): Impacts {
  const { k1, mostInCard } = parameters;
  const step = impactStep(parameters);
  const impacts = new Uint16Array(postings.length);
  const cardImpacts = new Uint16Array(postings.length);
  const fields = new Uint8Array(postings.length);
  for (let at = 0; at < postings.length; at += 1) {
    const name = frequencies[WIDTH * at]!;
    const description = frequencies[WIDTH * at + 1]!;
    const body = frequencies[WIDTH * at + 2]!;
    const reference = frequencies[WIDTH * at + 3]!;
    const card = factors[FACTORS * postings[at]! + CARD]!;
    impacts[at] = impactAt(frequencies, at, factors, postings[at]!, parameters);
    cardImpacts[at] = Math.round(
      saturate((Math.min(mostInCard, name) + Math.min(mostInCard, description)) * card, k1) / step,
    );
    fields[at] = (name && 1) | (description && 2) | (body && 4) | (reference && 8);
  }
  return { impacts, cardImpacts, fields };
}

/** The impact of one posting (its place in `frequencies`) of a document, in steps, rounded. */
export function impactAt(
  frequencies: Uint8Array,
  at: number,
  factors: Float64Array,
  document: number,
  parameters: Bm25fParameters,
): number {
  const { k1, mostInCard, unsupported } = parameters;
  const place = WIDTH * at;
  const row = FACTORS * document;
  const body = frequencies[place + 2]!;
  const reference = frequencies[place + 3]!;
  const worth = body + reference > 0 ? 1 : unsupported;
  const count =
    worth *
      (Math.min(mostInCard, frequencies[place]!) * factors[row]! +
        Math.min(mostInCard, frequencies[place + 1]!) * factors[row + 1]!) +
    body * factors[row + 2]! +
    reference * factors[row + 3]!;
  return Math.round(saturate(count, k1) / impactStep(parameters));
}

/** The card is a field of its own: name and description as one text. */
const CARD = WIDTH;
const FACTORS = WIDTH + 1;

/** What one occurrence is worth in each field of each document, and in its card: weight over normalised length. */
export function lengthFactors(
  lengths: Uint32Array,
  averages: FieldAverages,
  parameters: Bm25fParameters = BM25F,
): Float64Array {
  const { b, weights } = parameters;
  const documents = lengths.length / WIDTH;
  const factors = new Float64Array(documents * FACTORS);
  const factor = (weight: number, bias: number, length: number, average: number) =>
    weight / (1 - bias + (average > 0 ? (bias * length) / average : bias));
  for (let document = 0; document < documents; document += 1) {
    FIELDS.forEach((field, at) => {
      const length = lengths[WIDTH * document + at]!;
      factors[FACTORS * document + at] = factor(weights[field], b[field], length, averages[field]);
    });
    const card = lengths[WIDTH * document]! + lengths[WIDTH * document + 1]!;
    factors[FACTORS * document + CARD] = factor(1, b.description, card, averages.name + averages.description);
  }
  return factors;
}
