/**
 * Names of products: a query that names one is seldom answered by a skill that never says it and is called after another.
 * What acts as a name was learned from a public catalog (`bench/product-names.ts`).
 */

import { termsOf } from '../../index/lexical/analysis/analyzer.ts';
import { OWN_KIND } from '../../index/lexical/analysis/own-kind.ts';
import type { LexicalQuery } from '../../index/lexical/query/query.ts';
import { hasWordWeight } from '../../index/lexical/query/word-weights.ts';
import names from './product-names.json' with { type: 'json' };

const NAMES: ReadonlySet<string> = new Set(names);

/** The end of what stands before a name that the answer is to do without. */
const NEGATED = /\b(?:without|instead of|rather than|other than|except|avoid|not|no|from)\s+(?:\w+\s+)?$/i;
/** A name that the learning did not see: a word with a capital within a sentence that requests seldom have. */
const CAPITAL = /^[A-Z][a-z]+$/;
const WITHIN = /[a-z,;] $/;
/** A longer query, in terms, names products by the way. */
const LONG = 12;
/** Characters before a name that are read. */
const BEFORE = 40;

/** Index into `words.terms` of the rarest product that the query names; null if it names none. */
function rarestProduct({ terms, text }: LexicalQuery): number | null {
  let rarest: number | null = null;
  if (terms.length > LONG) return null;
  terms.forEach(({ term, words: [word = ''], from, weight }, at) => {
    if (rarest !== null && weight <= terms[rarest]!.weight) return;
    const before = text.slice(Math.max(0, from - BEFORE), from);
    const isName = NAMES.has(term) || (CAPITAL.test(word) && WITHIN.test(before) && !hasWordWeight(term));
    if (isName && !NEGATED.test(before)) rarest = at;
  });
  return rarest;
}

/**
 * For each candidate −1 if it is about another product than the query, else 0: it does not say the query's rarest product
 * anywhere, and its id ends in the name of a product that the query does not say. Where the query is about what all documents
 * are (`own-kind.ts`), less that share of its weight for each whose name does not say it. `byTerm` as in `FirstSignals`.
 */
export function otherProducts(
  words: LexicalQuery,
  byTerm: Float32Array,
  ordinals: Uint32Array,
  keyOf: (ordinal: number) => string,
): Float32Array {
  const others = new Float32Array(ordinals.length);
  const width = words.terms.length;
  const last = words.terms.at(-1);
  if (last?.term === OWN_KIND) {
    const share = last.weight / words.mass;
    return others.map((_, at) => (byTerm[(at + 1) * width - 1]! > 0 ? 0 : -share));
  }
  const rarest = rarestProduct(words);
  if (rarest === null) return others;
  const asked = new Set(words.terms.map(({ term }) => term));
  ordinals.forEach((ordinal, at) => {
    if (byTerm[at * width + rarest]! > 0) return;
    const [name = ''] = keyOf(ordinal).split(/[/:]/).slice(-1);
    if (termsOf(name).some((term) => NAMES.has(term) && !asked.has(term))) others[at] = -1;
  });
  return others;
}
