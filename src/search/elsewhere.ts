/**
 * What a description sends elsewhere: "Not for Angular: use `angular-forms`." Words of a query that occur only in such a
 * clause speak against the skill, although they match.
 */

import { termsOf } from '../../index/lexical/analysis/analyzer.ts';
import type { LexicalQuery } from '../../index/lexical/query/query.ts';

const CLAUSE =
  /\b(?:not for|do not use|don't use|never use|not intended for|not to be used|does not cover|skip (?:this|when))\b[^.;\n]*/gi;

/**
 * Share of the query's weight whose words name and description have in such a clause and nowhere else, 0–1.
 */
export function shareElsewhere(
  { terms, mass }: Pick<LexicalQuery, 'terms' | 'mass'>,
  { name, description }: { readonly name: string; readonly description: string },
): number {
  const clauses = description.match(CLAUSE);
  if (clauses === null || mass === 0) return 0;
  const sent = new Set(termsOf(clauses.join(' ')));
  const own = new Set(termsOf(`${name} ${description.replace(CLAUSE, ' ')}`));
  const share = terms.reduce(
    (sum, { term, weight }) => (sent.has(term) && !own.has(term) ? sum + weight : sum),
    0,
  );
  return Math.min(1, share / mass);
}
