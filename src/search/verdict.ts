/** What is said of a fit: one of three verdicts, and its words. Tools, terminal, page and prompt hook share them. */

/** `fits`: load a skill; `perhaps`: read its line first; `none`: the hits are only the nearest skills. */
export type Verdict = 'fits' | 'perhaps' | 'none';

/** What a wrong verdict costs, in needless looks at a hit's line: a load of a wrong skill, and a right skill that is lost. */
const WRONG_LOAD = 2.5;
const LOST_SKILL = 10;
/** From this fit on, 0–1, the load of a wrong skill costs less than a look: (1 − fit) · `WRONG_LOAD` ≤ 1. */
export const FITS = Math.round(100 * (1 - 1 / WRONG_LOAD)) / 100;
/** Below it a look costs more than the skill that may be lost: fit · `LOST_SKILL` < 1. */
const PERHAPS = 1 / LOST_SKILL;

const WORDS: Readonly<Record<Verdict, string>> = {
  fits: 'A skill fits',
  perhaps: 'Perhaps a skill fits',
  none: 'No skill seems to fit',
};

/** `fit`: the probability that some skill fits; null if there is no candidate. Judges the number that is shown. */
export function verdictOf(fit: number | null): Verdict {
  const shown = rounded(fit ?? 0);
  if (shown >= FITS) return 'fits';
  return shown >= PERHAPS ? 'perhaps' : 'none';
}

/** `Perhaps a skill fits (0.42)`; `unknown` are words of the query that no skill mentions. */
export function verdictWords(fit: number | null, unknown: readonly string[] = []): string {
  const words = WORDS[verdictOf(fit)];
  const missing = unknown.length === 0 ? '' : `: none mentions ${unknown.join(' or ')}`;
  return fit === null ? words : `${words} (${rounded(fit)})${missing}`;
}

/** To two decimals. */
const rounded = (fit: number) => Math.round(fit * 100) / 100;
