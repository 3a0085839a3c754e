/**
 * What a description sends elsewhere: "Not for Angular", "do not use for creating PRs, CI debugging", "for raw SQL use chdb-sql
 * instead". A request that is about such a thing has not found its skill here, although its words match.
 */

import { termsOf } from '../../index/lexical/analysis/analyzer.ts';
import type { LexicalQuery } from '../../index/lexical/query/query.ts';
import forms from './exclusion-forms.json' with { type: 'json' };

/** A form in all languages with spaces (Chinese and Japanese are below), as an alternative of an expression. */
const spell = (form: keyof typeof forms) => Object.values(forms[form]).join('|');
const [NOT, FOR, USE, INSTEAD] = [spell('not'), spell('for'), spell('use'), spell('instead')];
const NOT_ZH = '不适用于|不适合|不要用于|不用于|请勿用于|不要使用|不负责';
const USE_ZH = '(?:走|改用|请用|请使用) ?';
/** A skill's name where nothing else says that it is one. */
const NAME = '`?\\w+-[`\\w-]+';

/** From the words that exclude to the end of the sentence. */
const CLAUSES = [
  `(?<!\\p{L})(?:${NOT})(?!\\p{L})[^.\\n。]*`,
  `(?:${NOT_ZH})[^。\\n]*|(?<![^。、\\n])[^。、\\n]*(?:には使わない|には使用しない|は対象外)|(?<![^。，；\\n])[^。，；\\n]*${USE_ZH}${NAME}`,
  `(?<!\\p{L})(?:${FOR}) (?:(?!\\b(?:${FOR})\\b)[^.;\\n]){3,80}?,? (?:${USE}) (?:[\`\\w/-]+(?: skill)? (?:${INSTEAD})(?!\\p{L})|${NAME})|\\b(?:instead use|see ${NAME})[^.;\\n]* for [^.;\\n]*`,
].map((clause) => new RegExp(clause, 'giu'));
/** What a clause begins with, and the skills that it names instead: no part of what is excluded. */
const INTRODUCTION = new RegExp(
  `^(?:${NOT}|${NOT_ZH})(?: this(?: skill)?)?(?: for| when| if| to)?(?!\\p{L}):?`,
  'iu',
);
const NAMED = new RegExp(
  `\\(?(?:(?<!\\p{L})(?:${USE}) |${USE_ZH})([\`\\w/-]+)(?: (?:skill|${INSTEAD}))*\\)?`,
  'giu',
);
const SEPARATORS = /[,;、，；()]|\bor (?=\w+ing\b)|\bnor\b|\bnot for\b/i;

/** Shares of a query, of at most so many terms, that says all of what is excluded, or the skill instead; and of the other way. */
const SAYS = { whole: 0.4, terms: 10, reversed: 0.6 };

/** "from Rollbar to Sentry", "PDF to Word", "PDF转Word". */
const WAY = new RegExp(
  `(?<!\\S)(\\S+) (?:${spell('way')}) (?:an? |the |eine?[mnr]? |une? |uma? )?(\\S*[^\\s.,;:!?)"'])|(?<![\\w.+#-])([\\w.+#-]+) ?(?:转换?[为成到]?|迁移到|到|から|を) ?([\\w+#-]+)`,
  'g',
);
const waysIn = (text: string) =>
  [...text.toLowerCase().matchAll(WAY)].map(([, ...way]) => way.filter((name) => name !== undefined));

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
  { name, description }: { readonly name: string; readonly description: string },
): number {
  if (isReversed(text, description)) return SAYS.reversed;
  const written = description.replace(/\bPRs?\b/g, 'pull request');
  const clauses = mass === 0 ? [] : CLAUSES.flatMap((clause) => written.match(clause) ?? []);
  if (clauses.length === 0) return 0;
  const rest = CLAUSES.reduce((text, clause) => text.replace(clause, ' '), written);
  const own = new Set(termsOf(`${name} ${rest}`));
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
