/**
 * Words that could improve a skill's description for a query: those that name a subject, that name and description lack, and that
 * the skill uses elsewhere, since another word could promise what it does not do. First words of the query, then words of the
 * winners' descriptions. `why.ts` measures what each is worth.
 */

import { analyze } from '../../index/lexical/analysis/analyzer.ts';
import { FIELDS, type Field } from '../../index/passage.ts';
import type { LexicalQuery, Reader } from '../../src/app/extension-api.ts';
import { canBeNamed } from './words.ts';

/** A word to try. */
export interface Suggestion {
  readonly word: string;
  readonly from: 'query' | 'winners';
  /** Fields of the skill that contain the word; never empty. */
  readonly heldBy: readonly Field[];
}

/** Most words of each kind, the heaviest first: measuring one costs an embedding and a ranking. */
const OF_QUERY = 10;
const OF_WINNERS = 8;
/** Winners that have a word of theirs. */
const SHARED = 2;
/** Bits of `termFields`. */
const CARD = (1 << FIELDS.indexOf('name')) | (1 << FIELDS.indexOf('description'));
/** A word needs two letters, or one in scripts without spaces. */
const WORD = /\p{L}{2}|[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}]/u;

export const fieldNames = (bits: number) => FIELDS.filter((_, field) => (bits & (1 << field)) !== 0);

export function suggestions(
  reader: Reader,
  words: LexicalQuery,
  ordinal: number,
  winners: readonly string[],
): Suggestion[] {
  const shared = sharedWords(winners);
  const ofQuery = lacking(reader, words, ordinal).map((lack) => ({ ...lack, from: 'query' as const }));
  const asked = new Set(words.terms.map(({ term }) => term));
  const winnerWords = reader.lexical.prepare([...shared.keys()].join(' , '));
  const ofWinners = lacking(reader, winnerWords, ordinal)
    // One winner's word may be about anything else.
    .filter(({ term, word }) => !asked.has(term) && (shared.get(word) ?? 0) >= SHARED)
    .map((lack) => ({
      ...lack,
      weight: lack.weight * (shared.get(lack.word) ?? 1),
      from: 'winners' as const,
    }));
  return [...heaviest(ofQuery, OF_QUERY), ...heaviest(ofWinners, OF_WINNERS)].map(
    ({ word, from, heldBy }) => ({ word, from, heldBy }),
  );
}

/** Words that name a subject and that the document has, but neither in its name nor in its description, once each. */
function lacking(reader: Reader, words: LexicalQuery, ordinal: number) {
  const fields = reader.lexical.termFields(words, ordinal);
  let end = 0;
  return words.terms.flatMap(({ term, from, to, weight }, place) => {
    // The parts of a compound follow the whole; skip them.
    if (to <= end) return [];
    end = to;
    const word = words.text.slice(from, to);
    if (fields[place] === 0 || (fields[place]! & CARD) !== 0) return [];
    if (!WORD.test(word) || !canBeNamed(word, term)) return [];
    return [{ term, word, weight, heldBy: fieldNames(fields[place]!) }];
  });
}

const heaviest = <T extends { readonly weight: number }>(all: readonly T[], most: number) =>
  all.toSorted((a, b) => b.weight - a.weight).slice(0, most);

/** Each word of the texts as first written → number of texts that contain it. */
function sharedWords(texts: readonly string[]): Map<string, number> {
  const first = new Map<string, string>();
  const counts = new Map<string, number>();
  for (const text of texts) {
    const seen = new Set<string>();
    for (const { term, from, to } of analyze(text)) {
      if (seen.has(term)) continue;
      seen.add(term);
      const word = first.get(term) ?? text.slice(from, to);
      first.set(term, word);
      counts.set(word, (counts.get(word) ?? 0) + 1);
    }
  }
  return counts;
}
