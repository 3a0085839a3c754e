/**
 * What only names and descriptions tell of a candidate: that it is about something else, although its words match. Its
 * description sends such requests elsewhere ("Not for Angular: use `angular-forms`."), or it is called after another product
 * than the query names. What acts as a product's name was learned from a public catalog (`bench/product-names.ts`).
 */

import { termsOf } from '../../index/lexical/analysis/analyzer.ts';
import { findTerms } from '../../index/lexical/query/find-terms.ts';
import type { LexicalQuery } from '../../index/lexical/query/query.ts';
import { hasWordWeight } from '../../index/lexical/query/word-weights.ts';
import { TopK } from '../../index/ranking.ts';
import type { Reader } from '../../index/reader/reader.ts';
import type { CatalogEntry } from '../sources/scan/entry.ts';
import type { Features } from './features.ts';
import { NOT_FOR, NOT_FOR_FACET } from './passages/card.ts';
import names from './product-names.json' with { type: 'json' };
import { scoresOf } from './rank.ts';

/** Best candidates whose descriptions are read. */
const READ = 10;

/** The features with what the cards say. `byTerm` as in `FirstSignals`. */
export function withCards(
  features: Features,
  words: LexicalQuery,
  byTerm: Float32Array,
  ordinals: Uint32Array,
  reader: Pick<Reader, 'accept' | 'key' | 'payload'>,
): Features {
  const product = otherProducts(words, byTerm, ordinals, (ordinal) => reader.key(ordinal));
  const best = new TopK(READ);
  const scores = scoresOf({ ...features, product }, ordinals.length);
  for (const [at, score] of scores.entries()) best.push(at, score);
  const elsewhere = new Float32Array(ordinals.length);
  const withClause = reader.accept([[NOT_FOR_FACET]]);
  for (const at of best.drain().ordinals)
    if (withClause[ordinals[at]!] === 1)
      elsewhere[at] = 0 - shareElsewhere(words, reader.payload(ordinals[at]!) as CatalogEntry);
  return { ...features, product, elsewhere };
}

type WeighedTerm = Pick<LexicalQuery['terms'][number], 'term' | 'weight'>;

/** Share of the query's weight whose words name and description have in such a clause and nowhere else, 0–1. */
export function shareElsewhere(
  { terms, mass }: { readonly terms: readonly WeighedTerm[]; readonly mass: number },
  { name, description }: { readonly name: string; readonly description: string },
): number {
  const clauses = description.match(NOT_FOR);
  if (clauses === null || mass === 0) return 0;
  const asked = new Set(terms.map(({ term }) => term));
  const saidIn = (text: string) => new Set(findTerms(text, asked).map(({ term }) => term));
  const sent = saidIn(clauses.join(' '));
  if (sent.size === 0) return 0;
  const own = saidIn(`${name} ${description.replace(NOT_FOR, ' ')}`);
  const elsewhere = terms.filter(({ term }) => sent.has(term) && !own.has(term));
  return Math.min(1, elsewhere.reduce((sum, { weight }) => sum + weight, 0) / mass);
}

const NAMES: ReadonlySet<string> = new Set(names);

/** Whether a term is the name of a product. */
export const isProduct = (term: string) => NAMES.has(term);

/** Whether term `at` of a query names what it is about: a product, or a word with a capital within a sentence (German has it for all nouns). */
export function isNamed({ terms, text, language }: LexicalQuery, at: number): boolean {
  const { term, words, from } = terms[at]!;
  const before = text.slice(Math.max(0, from - BEFORE), from);
  const isCapital = language !== 'de' && WITHIN.test(before) && NAME.test(words[0]!);
  return (NAMES.has(term) || isCapital) && !NEGATED.test(before);
}

/** Months and days are no names. */
const NAME =
  /^(?!(?:Janu|Febru|March|April|May|June|July|August|Septem|Octo|Novem|Decem|Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)(?:ary|ber|day)?$|I$)[A-Z]/;

/** The end of what comes before a name that the answer is to do without. */
const NEGATED =
  /\b(?:(?:without|instead of|rather than|other than|except|avoid|not|no)\s+(?:\w+\s+)?|from\s+)$/i;
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
 * are, less that share of its weight for each whose name does not say it. `byTerm` as in `FirstSignals`.
 */
function otherProducts(
  words: LexicalQuery,
  byTerm: Float32Array,
  ordinals: Uint32Array,
  keyOf: (ordinal: number) => string,
): Float32Array {
  const others = new Float32Array(ordinals.length);
  const width = words.terms.length;
  const last = words.terms.at(-1);
  if (words.isOfOwnKind && last !== undefined) {
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
