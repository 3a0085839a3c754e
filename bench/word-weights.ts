/**
 * Learns the weights of words in a query: `tsx bench/word-weights.ts --index DIR --queries FILE … [--without FILE] --out
 * index/lexical/query/word-weights.json`.
 *
 * The BM25F score of a skill is a sum over the query's words. Each word gets one more factor, so that the skill for which
 * the query was written scores above the other skills that share words with it: listwise (softmax over the query's
 * candidates), with L2 on the logarithm of the factors. A word with little evidence keeps a factor near 1.
 * Learned term weights for first-stage retrieval: Dai & Callan, "Context-Aware Term Weighting For First Stage Passage
 * Retrieval" (SIGIR 2020). Here each word has one weight, so a search computes nothing more.
 */

import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import type { LexicalQuery } from '../index/lexical/query/query.ts';
import { wordWeight } from '../index/lexical/query/word-weights.ts';
import { Adam } from './adam.ts';
import { seeded, shuffled } from './evaluation/statistics.ts';
import { openIndex } from './open-index.ts';

/** Candidates by words; the right skill must be one of them. */
const DEPTH = 128;
/** A word in fewer queries than this gets no factor of its own. */
const MIN_QUERIES = 4;
const ROUNDS = 4;
const BATCH = 200;
const RATE = 0.03;
const RIDGE = 10;
/** The best candidate's score is scaled to this before the softmax. */
const SHARPNESS = 12;
/** Bound of the logarithm of a factor: larger values are noise. */
const LIMIT = 2;
/** Terms that show whether a catalog is like the one of the learning. */
const USUAL = 16;
/** Smaller logarithms are not written to the file. */
const LEAST = 0.05;

interface Example {
  /** The factor's number of each query term; −1 where the term has no factor. */
  readonly terms: Int32Array;
  /** `Float32Array[terms × candidates]`: the share of each term in a candidate's score. */
  readonly parts: Float32Array;
  readonly candidates: number;
  readonly right: number;
}

const { values } = parseArgs({
  options: {
    index: { type: 'string' },
    queries: { type: 'string', multiple: true },
    without: { type: 'string' },
    out: { type: 'string' },
    seed: { type: 'string', default: '0' },
  },
});
if (values.index === undefined || values.queries === undefined || values.out === undefined)
  throw new Error('Give --index DIR, --queries FILE and --out FILE.');

const reader = openIndex(values.index, null);
const heldBack = new Set(values.without === undefined ? [] : lines(values.without));
const written = values.queries
  .flatMap(lines)
  .map((line) => JSON.parse(line) as { skill: string; query: string })
  .filter(({ skill }) => !heldBack.has(skill.split('/')[0]!.replace('__', '/')));

const accept = reader.accept([]);
const prepared = written.map(({ skill, query }) => ({ skill, words: reader.lexical.prepare(query) }));
const numbers = numbered(prepared.map(({ words }) => words));
const examples = prepared.flatMap(({ skill, words }) => example(skill, words) ?? []);
console.error(`${examples.length} queries, ${numbers.size} words`);

const logarithms = learn(examples, numbers.size);
const kept = [...numbers]
  .map(([term, number]) => [term, logarithms[number]!] as const)
  .filter(([, logarithm]) => Math.abs(logarithm) >= LEAST)
  .sort(([a], [b]) => (a < b ? -1 : 1))
  .map(([term, logarithm]) => [term, Number(Math.exp(logarithm).toFixed(2))]);
console.error(`The most frequent of them, for word-weights.ts: ${JSON.stringify(usualShares())}`);
writeFileSync(values.out, `${JSON.stringify(Object.fromEntries(kept), null, 2)}\n`);

/** The most frequent terms with a factor, and the share of the skills that have them. */
function usualShares(): (readonly [term: string, share: number])[] {
  const frequencies = new Map(
    prepared.flatMap(({ words }) => words.terms.map(({ term, frequency }) => [term, frequency] as const)),
  );
  return kept
    .map(([term]) => [String(term), (frequencies.get(String(term)) ?? 0) / reader.documents] as const)
    .sort(([, a], [, b]) => b - a)
    .slice(0, USUAL)
    .map(([term, share]) => [term, Number(share.toFixed(2))] as const);
}

function lines(file: string): string[] {
  return readFileSync(file, 'utf8').trim().split('\n');
}

/** A number for each term of English letters that enough queries hold. */
function numbered(queries: readonly LexicalQuery[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { terms } of queries)
    for (const { term } of terms) if (/^[a-z]+$/.test(term)) counts.set(term, (counts.get(term) ?? 0) + 1);
  const often = [...counts].filter(([, count]) => count >= MIN_QUERIES).map(([term]) => term);
  return new Map(often.sort().map((term, number) => [term, number]));
}

/** Null if the right skill is not among the candidates. */
function example(skill: string, words: LexicalQuery): Example | null {
  const ordinals = reader.lexical.match(words, DEPTH, accept).ordinals.sort();
  const right = ordinals.findIndex((ordinal) => reader.key(ordinal) === skill);
  if (right < 0) return null;
  const parts = new Float32Array(words.terms.length * ordinals.length);
  words.terms.forEach(({ term }, position) => {
    const { bm25f } = reader.lexical.signals(withOneTerm(words, position), ordinals);
    // Undo the current weight of the word: it is learned from 1.
    const current = wordWeight(term);
    parts.set(
      bm25f.map((score) => score / current),
      position * ordinals.length,
    );
  });
  const terms = Int32Array.from(words.terms, ({ term }) => numbers.get(term) ?? -1);
  return { terms, parts, candidates: ordinals.length, right };
}

/** The query with only one of its terms. */
function withOneTerm(words: LexicalQuery, position: number): LexicalQuery {
  const segments = words.segments.map(({ numbers, terms }) => {
    const at = terms.indexOf(position);
    return at < 0
      ? { numbers: new Uint32Array(0), terms: new Uint32Array(0) }
      : { numbers: numbers.slice(at, at + 1), terms: terms.slice(at, at + 1) };
  });
  return { ...words, segments };
}

/** Logarithms of the factors, by the number of the word. */
function learn(examples: readonly Example[], width: number): Float64Array {
  const random = seeded(Number(values.seed));
  const logarithms = new Float64Array(width);
  const adam = new Adam(width);
  for (let round = 0; round < ROUNDS; round += 1) {
    const order = shuffled(examples, random);
    let loss = 0;
    for (let from = 0; from < order.length; from += BATCH) {
      const gradient = logarithms.map((logarithm) => (RIDGE * logarithm * BATCH) / order.length);
      for (const one of order.slice(from, from + BATCH)) loss += addGradient(gradient, one, logarithms);
      adam.step(logarithms, gradient, RATE * (1 - round / ROUNDS), (logarithm) =>
        Math.max(-LIMIT, Math.min(LIMIT, logarithm)),
      );
    }
    console.error(`round ${round + 1} of ${ROUNDS}: loss ${(loss / order.length).toFixed(4)}`);
  }
  return logarithms;
}

/** Adds a query's gradient. Returns its loss: −log of the right skill's softmax share. */
function addGradient(gradient: Float64Array, example: Example, logarithms: Float64Array): number {
  const { terms, parts, candidates, right } = example;
  const factors = Float64Array.from(terms, (number) => (number < 0 ? 1 : Math.exp(logarithms[number]!)));
  const scores = new Float64Array(candidates);
  for (let term = 0; term < terms.length; term += 1)
    for (let at = 0; at < candidates; at += 1) scores[at]! += factors[term]! * parts[term * candidates + at]!;
  let best = 0;
  for (let at = 1; at < candidates; at += 1) if (scores[at]! > scores[best]!) best = at;
  const sharpness = SHARPNESS / scores[best]!;
  const errors = scores.map((score) => Math.exp(sharpness * (score - scores[best]!)));
  const sum = errors.reduce((total, odds) => total + odds, 0);
  const loss = -Math.log(errors[right]! / sum);
  // The best score sets the scale, so it has a gradient too.
  let drift = 0;
  for (let at = 0; at < candidates; at += 1) {
    errors[at] = errors[at]! / sum - (at === right ? 1 : 0);
    drift += (errors[at]! * scores[at]!) / scores[best]!;
  }
  for (let term = 0; term < terms.length; term += 1) {
    if (terms[term]! < 0) continue;
    let slope = -drift * parts[term * candidates + best]!;
    for (let at = 0; at < candidates; at += 1) slope += errors[at]! * parts[term * candidates + at]!;
    gradient[terms[term]!]! += sharpness * factors[term]! * slope;
  }
  return loss;
}
