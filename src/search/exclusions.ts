/**
 * What a description sends elsewhere: "Not for Angular", "do not use for creating PRs, CI debugging", "for raw SQL use chdb-sql
 * instead". A request that is about such a thing has not found its skill here, although its words match.
 */

import { termsOf } from '../../index/lexical/analysis/analyzer.ts';
import type { LexicalQuery } from '../../index/lexical/query/query.ts';

/** From the words that exclude to the end of the sentence, in the languages that descriptions are written in. */
const CLAUSES = [
  /\b(?:not (?:for|when|intended for|to be used|suitable for)|(?:do not|don['’]t|never) (?:use|trigger|invoke|apply)|does not (?:cover|handle|support)|skip (?:this|when|for)|out of scope:?|not in scope:?)\b[^.\n。]*/gi,
  /\b(?:nicht (?:für|verwenden|nutzen|geeignet)|(?:ne|n['’]) (?:pas )?(?:utilise[rz]|convient) pas|pas pour|no (?:usar|utilizar|es para|para)|não (?:use|usar|utilize|é para)|non (?:usare|per))(?!\p{L})[^.\n]*/giu,
  /(?:不适用于|不适合|不要用于|不用于|请勿用于|不要使用)[^。\n]*|(?<![^。、\n])[^。、\n]*(?:には使わない|には使用しない|は対象外)/gu,
  /\bfor (?:(?!\bfor\b)[^.;\n]){3,80}?,? (?:use|see) [`\w/-]+(?: skill)? instead\b|\binstead use\b[^.;\n]* for [^.;\n]*/gi,
];
/** What a clause begins with, and the skills that it names instead: no part of what is excluded. */
const INTRODUCTION =
  /^(?:not (?:for|when|intended for|to be used|suitable for)|(?:do not|don['’]t|never) (?:use|trigger|invoke|apply)(?: this(?: skill)?)?(?: for| when| if| to)?|does not (?:cover|handle|support)|skip (?:this|when|for))\b:?/i;
const NAMED = /\(?\b(?:use|see) [`\w/-]+(?: (?:skill|instead))*\)?/gi;
const SEPARATORS = /[,;、，；()]|\bor (?=\w+ing\b)|\bnor\b|\bnot for\b/i;

/** The things that a description excludes, each as its terms. */
function excludedIn(description: string): string[][] {
  return CLAUSES.flatMap((clause) => description.match(clause) ?? [])
    .flatMap((clause) => clause.replace(INTRODUCTION, '').replace(NAMED, ' , ').split(SEPARATORS))
    .map((thing) => [...new Set(termsOf(thing))])
    .filter((terms) => terms.length > 0);
}

/**
 * How far a query is about a thing that the description excludes, 0–1: the share of the thing's words that it has, times its
 * share of the query's weight, less what else of the query the description is about.
 */
export function excludedShare(
  { terms, mass }: Pick<LexicalQuery, 'terms' | 'mass'>,
  { name, description }: { readonly name: string; readonly description: string },
): number {
  const things = mass === 0 ? [] : excludedIn(description);
  if (things.length === 0) return 0;
  const rest = CLAUSES.reduce((text, clause) => text.replace(clause, ' '), description);
  const own = new Set(termsOf(`${name} ${rest}`));
  let most = 0;
  for (const thing of things) {
    let shared = 0;
    let held = 0;
    let others = 0;
    for (const { term, weight } of terms)
      if (thing.includes(term)) {
        shared += weight;
        held += 1;
      } else if (own.has(term)) others += weight;
    most = Math.max(most, ((shared / mass) * held * (1 - others / mass)) / thing.length);
  }
  return Math.min(1, most);
}
