/**
 * Which of a word's forms a query is searched by: the English stem or that of its language; an unspaced word (`unspaced.ts`)
 * or its parts. What no document has stays as one form, so that it lowers every coverage.
 */

import type { Token } from '../analysis/analyzer.ts';
import { isGrammar, isGrammarAlone } from '../analysis/grammar.ts';
import { isUnspaced, simplified } from '../analysis/unspaced.ts';

/** The tokens without function words, or those of languages with spaces if nothing else remains. */
export function contentTokens(tokens: readonly Token[], language: string | null): readonly Token[] {
  const words = withoutGrammarAlone(tokens);
  const content = words.filter(({ term }) => !isGrammar(term, language));
  return content.length > 0 ? content : words;
}

/** Without unspaced words that are evidence of nothing, and without the other forms of such a word. */
function withoutGrammarAlone(tokens: readonly Token[]): readonly Token[] {
  let to = 0;
  return tokens.filter((token) => {
    if (token.to <= to) return false;
    if (isGrammarAlone(token.term)) to = token.to;
    return !isGrammarAlone(token.term);
  });
}

/**
 * The forms by which the query `text` is searched. `tokens` has the forms of a word one after the other, the word itself
 * first; `isKnown` says whether the index has a term.
 */
export function knownForms(
  text: string,
  tokens: readonly Token[],
  language: string | null,
  isKnown: (term: string) => boolean,
): readonly Token[] {
  const areForms = (first: Token, other: Token) =>
    isUnspaced(first.term)
      ? other.to <= first.to
      : language !== null && other.from === first.from && other.to === first.to;
  const kept: Token[] = [];
  const verbs: Token[] = [];
  for (let at = 0; at < tokens.length; ) {
    const first = tokens[at]!;
    let end = at + 1;
    while (end < tokens.length && areForms(first, tokens[end]!)) end += 1;
    const forms = tokens.slice(at, end);
    if (HAN_CHARACTER.test(first.term) && !isKnown(first.term)) {
      const pair = pairWith(text, first, isKnown);
      const isSuffix = tokens[at - 1]?.to === first.from;
      (pair === undefined && !isSuffix ? verbs : kept).push(pair ?? first);
    } else if (isUnspaced(first.term)) kept.push(...knownParts(text, forms, isKnown));
    else {
      const known = forms.length === 1 ? forms : forms.filter(({ term }) => isKnown(term));
      kept.push(...(known.length > 0 ? known : [first]));
    }
    at = end;
  }
  // A character before a word that no document has is mostly a verb (`查`, `做`): it says little next to the other words.
  return kept.length > 0 ? kept : verbs;
}

const HAN_CHARACTER = /^\p{Script=Han}$/u;

/** A character that the dictionary left alone, with its neighbour: `票` of `开发`, `票` is of `发票`, if the index has that. */
function pairWith(text: string, { from, to }: Token, isKnown: (term: string) => boolean): Token | undefined {
  const spans = [
    [from - 1, to],
    [from, to + 1],
  ] as const;
  return spans
    .map(([start, end]) => ({ term: simplified(text.slice(Math.max(0, start), end)), from: start, to: end }))
    .find(({ term }) => isUnspaced(term) && isKnown(term));
}

const HANGUL = /^\p{Script=Hangul}/u;

/**
 * The word, if the index has it. Else its parts, in order and without overlap, if they are the whole word. Of a Korean word
 * as many as the index has: what follows them may be an ending that no rule knows.
 */
function knownParts(
  text: string,
  forms: readonly Token[],
  isKnown: (term: string) => boolean,
): readonly Token[] {
  const [word] = forms as readonly [Token];
  if (forms.length === 1 || isKnown(word.term)) return [word];
  const parts = longestCover(forms.slice(1).filter(({ term }) => isKnown(term)));
  const covered = parts.reduce((sum, { from, to }) => sum + to - from, 0);
  if (parts.length === 0 || (covered < word.to - word.from && !HANGUL.test(word.term))) return [word];
  const kept: Token[] = [];
  let at = word.from;
  const addUnknown = (to: number) => {
    // A single last syllable is taken for an ending.
    if (at < to && !(to === word.to && to - at === 1)) kept.push({ term: text.slice(at, to), from: at, to });
  };
  for (const part of parts) {
    addUnknown(part.from);
    kept.push(part);
    at = part.to;
  }
  addUnknown(word.to);
  return kept;
}

/** Those of the tokens that cover most characters without overlap, in order; of equal ones, the fewest. */
function longestCover(tokens: readonly Token[]): readonly Token[] {
  const inOrder = tokens.toSorted((a, b) => a.to - b.to || a.from - b.from);
  const covers: { readonly length: number; readonly tokens: readonly Token[] }[] = [];
  let best: (typeof covers)[number] = { length: 0, tokens: [] };
  for (const token of inOrder) {
    const before = covers.findLast((cover) => cover.tokens.at(-1)!.to <= token.from);
    const cover = {
      length: (before?.length ?? 0) + token.to - token.from,
      tokens: [...(before?.tokens ?? []), token],
    };
    const isBetter =
      cover.length > best.length ||
      (cover.length === best.length && cover.tokens.length < best.tokens.length);
    if (isBetter) best = cover;
    covers.push(isBetter ? cover : { ...best });
  }
  return best.tokens;
}
