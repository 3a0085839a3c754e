/** The requests that skills say they are for, in the words of a request: examples of the start, and queries for a draft. */

import type { CatalogEntry } from '../../src/app/extension-api.ts';

/** Examples that are given. */
const EXAMPLES = 3;
/** Length of one, characters. */
const SHORTEST = 12;
const LONGEST = 70;
/** Skills that are tried, evenly spaced over the ids. */
const TRIED = 600;
/** What a person wants to do, and what has happened to something, up to the end of the clause. */
const ASKS =
  /\bwhen (?:(?:the |a )?users? |you |someone |somebody )(?:wants?|needs?|asks?) (?:you )?to ([^.,;:()"“”]+?)(?=[.,;:(]|$)/gi;
const HAPPENED =
  /\bwhen ((?:an?|the|our|something) (?!users?\b|person\b|skill\b|agent\b)[^.,;:()"“”]+?)(?=[.,;:]|$)/gi;
const QUOTED = /["“]([^"“”]+)["”]/g;
/** Beginnings that no request has, and ends of clauses that were cut. */
const HALF =
  /^(?:has|have|is|are|says?|mentions?|wants?|needs?|uses?)\b|\b(?:it|this|these|those|their|them|its)\b/i;
const CUT =
  /\b(?:a|an|the|and|or|of|to|for|with|in|on|by|from|as|at|into|how|that|which|their|your|any|e\.g|i\.e|like|such)$/i;

/** Of different parts of the catalog; the entries are in order of id. */
export function findExamples(entries: readonly CatalogEntry[]): readonly string[] {
  const step = Math.max(1, entries.length / TRIED);
  const examples = new Set<string>();
  for (let at = 0; at < entries.length && examples.size < EXAMPLES; at += step) {
    const [example] = requestsIn(entries[Math.floor((at * 7.3) % entries.length)]!.description);
    if (example !== undefined && /^\p{ASCII}*$/u.test(example)) examples.add(example);
  }
  return [...examples];
}

/** Whole requests alone: what is quoted, or what a person is said to want. */
export function requestsIn(description: string): readonly string[] {
  const text = description.replace(/\s+/g, ' ');
  const found = [QUOTED, ASKS, HAPPENED]
    .flatMap((said) => [...text.matchAll(said)])
    .map(([, request = '']) => request.replace(/[\s.,;:!]+$/, '').trim());
  return [...new Set(found)].filter(
    (request) =>
      request.length >= SHORTEST &&
      request.length <= LONGEST &&
      /\s/.test(request) &&
      !/["“”`«»…{}<>[\]]|\.\.\./.test(request) &&
      !HALF.test(request) &&
      !CUT.test(request),
  );
}
