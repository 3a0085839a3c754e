/** Whether a description says what a skill does and when to use it. Knows English only, and says nothing of other languages. */

import { termsOf } from '../../index/lexical/analysis/analyzer.ts';

/** Words that could stand in the description of any skill: a description of nothing else names no subject (`bench/TRIED.md`). */
const GENERAL = new Set(
  termsOf(`
  a about across advanced after agent agents all almost also always an analysis and answer any anything appropriate approach are
  as ask asks assist assistance assistant assistants at based basic be before best better both build builder building by can
  claude code coding collection command commands common comprehensive content contain context core create creating custom data
  deal details develop developer developers different do document documents does easily easy effective efficient efficiently
  enable ensure etc every everything example expert explicit fast file files find follow for from function functions general
  generate get give good great guidance guide guideline handle has have help helper helpful helps high how if implement improve
  in information input instruction instructions into invoke is issue it item its job key kind kinds know library lookup lot make
  manage management many method methods miscellaneous mode modern module more most multiple my need new no note of offer on one
  only operation operations optimize or other output over overview part pattern patterns perform pick plan platform point
  powerful practice practices problem process processing productivity professional program programming project projects provide
  purpose quality quick quickly reference relevant request requests resource result results return review rule rules run sample
  script scripts sentence set simple simplify single skill skills smart so software solution solve some something specific
  standard standards start step steps stuff such suite support system systems tackle task tasks team template that the their
  them these thing things this through time tip tips to tool toolkit tools topic trigger type types use used useful user users
  using util utilities utility various via want wants ways what whatever when whenever where which while will with within without
  work workflow workflows working works write writing you your`),
);
/** Whether a term (as `termsOf` makes it) says nothing of a subject. */
export const isGeneral = (term: string) => GENERAL.has(term);

/** How English descriptions name the situation. */
const SAYS_WHEN =
  /\b(?:when|whenever|if|before|after|during|while|trigger|triggers|triggered|asks?|asked|wants?|needs?|requests?|mentions?|invoke|must use|use (?:this|it|for|to|as|in|with|on|at)|used (?:for|to|by|in)|(?:ideal|suitable|useful|designed|intended|meant) for|for (?:tasks|questions|any|all|users|developers))\b/i;

export type Fault = 'vague' | 'no-when';

/** What a description lacks; null if nothing, or if its language is not known here. */
export function faultOf(description: string): Fault | null {
  if (termsOf(description).every(isGeneral)) return 'vague';
  return isEnglish(description) && !SAYS_WHEN.test(description) ? 'no-when' : null;
}

/** By letters and a word of grammar: a wrong guess would scold an author in another language. */
export const isEnglish = (text: string) =>
  /\b(?:the|and|of|for|with|from|to|your|when)\b/i.test(text) &&
  !/[^\p{Script=Latin}\p{Script=Common}\p{Script=Inherited}]/u.test(text);
