/** Whether a description says what a skill does and when to use it. Knows English only, and says nothing of other languages. */

import { analyze } from '../../index/lexical/analysis/analyzer.ts';
import { wordWeight } from '../../index/lexical/query/word-weights.ts';

/** Distinct words with a meaning of their own: with fewer, a description fits any request and none. */
const MIN_WORDS = 4;
/** Words below this learned weight distinguish nothing (`index/lexical/query/word-weights.ts`). */
const MIN_WEIGHT = 0.5;
/** Words of descriptions that could stand in any of them. */
const EMPTY = new Set(
  `a agent assist best better does good great handle help helper helps improve provide skill skills stuff support task tasks
  thing things tool tools use used useful user users utility various way work working works`.split(/\s+/),
);
/** How English descriptions name the situation. */
const SAYS_WHEN =
  /\b(?:when|whenever|if|before|after|during|while|trigger|triggers|triggered|asks?|asked|wants?|needs?|requests?|mentions?|invoke|must use|use (?:this|it|for|to|as|in|with|on|at)|used (?:for|to|by|in)|(?:ideal|suitable|useful|designed|intended|meant) for|for (?:tasks|questions|any|all|users|developers))\b/i;

export type Fault = 'vague' | 'no-when';

/** What a description lacks; null if nothing, or if its language is not known here. */
export function faultOf(description: string): Fault | null {
  if (!isEnglish(description)) return null;
  const words = new Set(
    analyze(description).flatMap(({ term, from, to }) =>
      EMPTY.has(description.slice(from, to).toLowerCase()) || wordWeight(term) < MIN_WEIGHT ? [] : [term],
    ),
  );
  if (words.size < MIN_WORDS) return 'vague';
  return SAYS_WHEN.test(description) ? null : 'no-when';
}

/** By letters and a word of grammar: a wrong guess would scold an author in another language. */
const isEnglish = (text: string) =>
  /\b(?:the|and|of|for|with|from|to|your|when)\b/i.test(text) &&
  !/[^\p{Script=Latin}\p{Script=Common}\p{Script=Inherited}]/u.test(text);
