/**
 * What a description sends elsewhere: "Not for Angular", "do not use for creating PRs, CI debugging", "for raw SQL use chdb-sql
 * instead". A request that is about such a thing has not found its skill here, although its words match.
 */

import { termsOf } from '../../index/lexical/analysis/analyzer.ts';
import type { LexicalQuery } from '../../index/lexical/query/query.ts';
import forms from './exclusion-forms.json' with { type: 'json' };

/** A form in all languages, as an alternative of an expression; those without spaces have forms of their own. */
const spell = (form: keyof typeof forms) => `(?:${Object.values(forms[form]).join('|')})`;
const [NOT, FOR, USE, INSTEAD] = [spell('not'), spell('for'), spell('use'), spell('instead')];
const [NOT_ZH, USE_ZH, HYPHENATED] = [spell('unspacedNot'), `${spell('unspacedUse')} ?`, '`?\\w+-[`\\w-]+'];
const anyCase = (source: string) => new RegExp(source, 'giu');
/** From the words that exclude to the end of the sentence. */
const CLAUSES = [
  `(?<!\\p{L})${NOT}(?!\\p{L})[^.\\n。]*`,
  `${NOT_ZH}[^。\\n]*|(?<![^。、\\n])[^。、\\n]*${spell('unspacedNotBefore')}|(?<![^。，；\\n])[^。，；\\n]*${USE_ZH}${HYPHENATED}`,
  `(?<!\\p{L})${FOR} (?:(?!\\b${FOR}\\b)[^.;\\n]){3,80}?,? ${USE} (?:[\`\\w/-]+(?: skill)? ${INSTEAD}(?!\\p{L})|${HYPHENATED})|\\b(?:instead use|see ${HYPHENATED})[^.;\\n]* for [^.;\\n]*`,
].map(anyCase);
/** What a clause begins with, and the skills that it names instead: no part of what is excluded. */
const INTRODUCTION = anyCase(`^(?:${NOT}|${NOT_ZH})(?: this)?(?: skill)?(?: for| when| if| to)?(?!\\p{L}):?`);
const NAMED = anyCase(`\\(?(?:(?<!\\p{L})${USE} |${USE_ZH})([\`\\w/-]+)(?: (?:skill|${INSTEAD}))*\\)?`);
const SEPARATORS = /[,;、，；()]|\bor (?=\w+ing\b)|\bnor\b|\bnot for\b/i;

/** Characters of a description, four times what the specification allows: clauses take time quadratic in their number. */
const READ = 4_096;
/** Shares of a query, of at most so many terms, that says all of what is excluded, or the skill instead; and of the other way. */
const SAYS = { whole: 0.4, terms: 10, reversed: 0.6 };

/** "from Rollbar to Sentry", "PDF to Word", "PDF转Word". */
const WAYS = [
  `(?<!\\S)(\\S+) ${spell('way')} (?:an? |the |eine?[mnr]? |une? |uma? )?(\\S*[^\\s.,;:!?)"'])`,
  `(?<![\\w.+#-])([\\w.+#-]+) ?${spell('unspacedWay')} ?([\\w+#-]+)`,
].map(anyCase);
const waysIn = (text: string) =>
  WAYS.flatMap((way) => [...text.toLowerCase().matchAll(way)].map(([, from, to]) => [from, to]));

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
  const named = [...clauses.join('\n').matchAll(NAMED)];
  const names = named.map(([, other = '']) => termsOf(other.replaceAll('-', ' ')));
  const isWhole = (words: readonly string[]) =>
    words.length > 1 && words.every((word) => said.has(word)) && !words.every((word) => own.has(word));
  const isSaid = terms.length <= SAYS.terms && [...things, ...names].some(isWhole);
  return Math.max(0, ...shares, isSaid ? SAYS.whole : 0);
}
