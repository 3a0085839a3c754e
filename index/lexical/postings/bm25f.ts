/**
 * BM25F: how strongly a term points to a document. The formula, its parameters, and its storage as 16-bit impacts.
 *
 * Zaragoza, Craswell, Taylor, Saria & Robertson, "Microsoft Cambridge at TREC-13" (2004); Robertson & Zaragoza, "The
 * Probabilistic Relevance Framework: BM25 and Beyond" (2009), section 3.6.
 */

import { FIELDS, type Field } from '../../passage.ts';

export interface Bm25fParameters {
  /** Term frequency saturation, > 0. Higher values saturate later. An impact stays below k1 + 1. */
  readonly k1: number;
  /** Length normalisation of each field, 0 (none) to 1 (full). */
  readonly b: Readonly<Record<Field, number>>;
  /** Weight of one occurrence in each field, ≥ 0. */
  readonly weights: Readonly<Record<Field, number>>;
  /** Occurrences in the name, and in the description, that count; at least 1. */
  readonly mostInCard: number;
  /** Weight of a name or description term that neither body nor references contain, 0 to 1. */
  readonly unsupported: number;
}

/** Mean length of each field in words, over the documents that are weighted together. */
export type FieldAverages = Readonly<Record<Field, number>>;

/**
 * k1 as in Robertson & Zaragoza. The weights and b are the result of a grid search over the benchmark's queries; all
 * neighbouring values score within a point (`bench/TRIED.md`).
 *
 * `mostInCard` and `unsupported` limit keyword stuffing: repetition in name and description, and claims that nothing
 * else in the document supports. They cost no accuracy (`bench/TRIED.md`).
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
 * Value of one step of a stored impact: (k1 + 1) / 65,535, which is 3.4e-5 for k1 1.2. Rounding changes an impact by at
 * most 1.7e-5, and a score by that times the sum of the query's idfs: less than the last digit shown.
 */
export function impactStep(parameters: Bm25fParameters = BM25F): number {
  return (parameters.k1 + 1) / 0xffff;
}

/** Saturated value of a weighted count, 0 to k1 + 1 (exclusive). */
export function saturate(count: number, k1: number): number {
  return (count * (k1 + 1)) / (k1 + count);
}

/**
 * Inverse document frequency, > 0, of a term that `frequency` of `documents` contain. Lucene's form, ln(1 + (N − df +
 * 0.5) / (df + 0.5)), which stays positive for terms in more than half of the documents.
 */
export function idf(documents: number, frequency: number): number {
  return Math.log(1 + (Math.max(0, documents - frequency) + 0.5) / (frequency + 0.5));
}

/**
 * Mean length of each field over the documents that have the field; 0 if none has. `lengths` has a row of `WIDTH` per
 * document. Documents without a field are left out because most skills have no references: a mean over all would make
 * every reference look long, which costs accuracy (`bench/TRIED.md`).
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

/** Weighted postings: columns of `LexicalColumns`. */
interface Impacts {
  readonly impacts: Uint16Array;
  readonly cardImpacts: Uint16Array;
  readonly fields: Uint8Array;
}

/** Weights postings by their stored frequencies and lengths. Equal input gives equal bits. */
export function weigh(
  postings: Uint32Array,
  frequencies: Uint8Array,
  lengths: Uint32Array,
  averages: FieldAverages,
  parameters: Bm25fParameters = BM25F,
): Impacts {
  return weighBy(postings, frequencies, lengthFactors(lengths, averages, parameters), parameters);
}

/** `weigh` with length factors computed before, for callers that weight postings in blocks. */
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

/** Impact of posting number `at` of `frequencies`, in steps, rounded. */
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

/** The card counts as a field of its own: name and description as one text. */
const CARD = WIDTH;
const FACTORS = WIDTH + 1;

/** Weight of one occurrence in each field and in the card of each document: field weight over normalised length. */
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
