/** Marks the words of a text that match a query, by the terms that the index searches. */

import { analyze } from '../../index/lexical/analysis/analyzer.ts';
import type { Marked } from './api.ts';

/** The text in pieces, in order; joined they are the text. `terms` are the query's, stemmed. */
export function marked(text: string, terms: ReadonlySet<string>): Marked {
  const pieces: [string, boolean][] = [];
  let at = 0;
  for (const { term, from, to } of analyze(text)) {
    // A name comes before its parts: what is marked already stays.
    if (from < at || !terms.has(term)) continue;
    if (from > at) pieces.push([text.slice(at, from), false]);
    pieces.push([text.slice(from, to), true]);
    at = to;
  }
  if (at < text.length) pieces.push([text.slice(at), false]);
  return pieces;
}
