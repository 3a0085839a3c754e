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
  /\bfor (?:(?!\bfor\b)[^.;\n]){3,80}?,? (?:use|see) (?:[`\w/-]+(?: skill)? instead\b|`?\w+-[`\w-]+)|\b(?:instead use|see `?\w+-[`\w-]+)[^.;\n]* for [^.;\n]*/gi,
];
/** What a clause begins with, and the skills that it names instead: no part of what is excluded. */
const INTRODUCTION =
  /^(?:not (?:for|when|intended for|to be used|suitable for)|(?:do not|don['’]t|never) (?:use|trigger|invoke|apply)(?: this(?: skill)?)?(?: for| when| if| to)?|does not (?:cover|handle|support)|skip (?:this|when|for))\b:?/i;
const NAMED = /\(?\b(?:use|see) ([`\w/-]+)(?: (?:skill|instead))*\)?/gi;
const SEPARATORS = /[,;、，；()]|\bor (?=\w+ing\b)|\bnor\b|\bnot for\b/i;

/** Characters of a description, four times what the specification allows: clauses take time quadratic in their number. */
const READ = 4_096;
/** Shares of a query, of at most so many terms, that says all of what is excluded, or the skill instead; and of the other way. */
const SAYS = { whole: 0.4, terms: 10, reversed: 0.6 };

/** "from Rollbar to Sentry", "PDF to Word". */
const WAY = /(?<!\S)(\S+) (?:in)?to (?:an? |the )?(\S*[^\s.,;:!?)"'])/g;
const waysIn = (text: string) => [...text.toLowerCase().matchAll(WAY)].map(([, from, to]) => [from, to]);

/** Whether the description leads only the other way than the query. */
function isReversed(text: string, description: string): boolean {
  const isWay = (way: readonly unknown[]) => waysIn(description).some((one) => one.join() === way.join());
  return waysIn(text).some(([from, to]) => isWay([to, from]) && !isWay([from, to]));
}

/**
 * How far a query is about a thing that the description excludes, 0–1: the share of the thing's words that it has, times its
 * share of the query's weight, less what else of the query the description is about.
 */
export function excludedShare(
  { terms, mass, text }: Pick<LexicalQuery, 'terms' | 'mass' | 'text'>,
  entry: { readonly name: string; readonly description: string },
): number {
  const description = entry.description.slice(0, READ);
  if (isReversed(text, description)) return SAYS.reversed;
  const written = description.replace(/\bPRs?\b/g, 'pull request');
  const clauses = mass === 0 ? [] : CLAUSES.flatMap((clause) => written.match(clause) ?? []);
  if (clauses.length === 0) return 0;
  const rest = CLAUSES.reduce((text, clause) => text.replace(clause, ' '), written);
  const own = new Set(termsOf(`${entry.name} ${rest}`));
  const said = new Set(terms.map(({ term }) => term));
  const share = (isOf: (term: string) => boolean) =>
    terms.reduce((sum, { term, weight }) => (isOf(term) ? sum + weight : sum), 0) / mass;
  const things = clauses
    .flatMap((clause) => clause.replace(INTRODUCTION, '').replace(NAMED, ' , ').split(SEPARATORS))
    .map((thing) => [...new Set(termsOf(thing))]);
  const shares = things.map((thing) => {
    const held = thing.filter((term) => said.has(term)).length / Math.max(1, thing.length);
    const others = share((term) => own.has(term) && !thing.includes(term));
    return share((term) => thing.includes(term)) * held * (1 - others);
  });
  const names = clauses.flatMap((clause) =>
    [...clause.matchAll(NAMED)].map(([, other = '']) => termsOf(other.replaceAll('-', ' '))),
  );
  const isWhole = (words: readonly string[]) =>
    words.length > 1 && words.every((word) => said.has(word)) && !words.every((word) => own.has(word));
  return Math.max(
    0,
    ...shares,
    terms.length <= SAYS.terms && [...things, ...names].some(isWhole) ? SAYS.whole : 0,
  );
}
