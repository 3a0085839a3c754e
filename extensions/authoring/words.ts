/**
 * What the words of a description say: whether they name a subject, and when to use the skill. Knows English only, and says nothing of
 * other languages.
 */

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

type Fault = 'vague' | 'no-when';

/** What a description lacks; null if nothing, or if its language is not known here. */
export function findFault(description: string): Fault | null {
  if (termsOf(description).every(isGeneral)) return 'vague';
  return isEnglish(description) && !SAYS_WHEN.test(description) ? 'no-when' : null;
}

/** By letters and a word of grammar: a wrong guess would scold an author in another language. */
export const isEnglish = (text: string) =>
  /\b(?:the|and|of|for|with|from|to|your|when)\b/i.test(text) &&
  !/[^\p{Script=Latin}\p{Script=Common}\p{Script=Inherited}]/u.test(text);

/** Words of everyday language that say nothing of a subject, for proposals of words. */
const EVERYDAY = new Set(
  termsOf(`
  able again ago already always am anybody anyone apart around ask away back bad because become been begin being believe big bit
  both bring broke broken came cannot care careful certain clear close come could couple day dead did does doesn don done down
  drop during each early else end enough even evening ever everybody everyone everywhere exactly fail fall far feel few fine first
  friday full gave getting go goes going gone got great group guess half hand happen hard haven having he hello her here him his
  hold hope hour however idea important instead just keep kept kind knew last late later least leave left less let life like
  likely little live long look lose lost made main matter maybe mean might minute moment monday month morning most move much must
  myself name near nearly never next nice nobody none nor nothing now off often oh ok old once open order our ourselves out own
  people perhaps person place please possible pretty probably put quite rather reach ready real really right same saturday save
  saw say second see seem seen send sense set several shall she short should show side since sit situation slowly small somebody
  someone sometimes somewhere soon sorry sort stay still stop stuck such suddenly sunday sure take talk tell than thank then there
  thing think third though thought three thursday together told tomorrow tonight too took top toward try tuesday turn twice two
  under until up upon us usual very wait walk was way we wednesday week weekend well went were while who whole whose why will
  wish won wonder wrong year yes yesterday yet you`),
);

/** Verbs that are no nouns: a sentence cannot name them as what a skill is for. */
const VERBS = new Set(
  termsOf(`
  accept achieve add adjust affect agree allow append apply arrange assign attach avoid belong choose clarify clean collect combine
  compare compose compute configure confirm connect consider contain convert correct decide decode delete deliver depend describe
  detect determine diagnose discover divide download edit embed encode enter estimate evaluate examine exclude execute exist expect
  explain explore expose extend extract fetch fix forget format gather hide identify ignore indicate inform insert inspect install
  invite join learn locate maintain mark mention merge modify obtain organise organize own parse pay persist predict prefer prevent
  produce propose prove publish quote read receive recommend reduce refuse reject remain remember remove rename render repeat replace
  reply represent reproduce resolve restore retrieve return reuse rewrite satisfy select sell send separate solve specify spend split
  store submit suggest suppose teach tell transform translate trust understand undo update upload validate verify visit warn write`),
);

/** Whether a term (as `termsOf` makes it) names a subject, as far as this list knows. */
export const namesSubject = (term: string) => !isGeneral(term) && !EVERYDAY.has(term);

/** Whether a word can stand after "for", as far as its form and these lists say. */
export const canBeNamed = (word: string, term: string) =>
  namesSubject(term) && !VERBS.has(term) && !/\p{L}{3}(?:ed|ly)$/u.test(word.toLowerCase());
