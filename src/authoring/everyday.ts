/** English words of everyday language that say nothing of a subject, for proposals of words. Says nothing of other languages. */

import { termsOf } from '../../index/lexical/analysis/analyzer.ts';
import { isGeneral } from './when-to-use.ts';

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
