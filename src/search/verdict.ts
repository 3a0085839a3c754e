/**
 * The verdict on an answer: does a skill fit? Three verdicts, one number, and the words for them that the tools, the
 * terminal and the page share.
 */

/** `fits`: a skill fits, more likely than not; `perhaps`: one may; `none`: the hits are only the nearest skills. */
export type Verdict = 'fits' | 'perhaps' | 'none';

/** From this fit on, 0–1, a skill fits. */
const FITS = 0.5;
/** Below it no skill seems to fit: about one in twenty of the answerable queries (`bench/confidence.ts`). */
const PERHAPS = 0.2;

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

/** `Perhaps a skill fits (0.42)`. */
export function verdictWords(fit: number | null): string {
  const words = WORDS[verdictOf(fit)];
  return fit === null ? words : `${words} (${rounded(fit)})`;
}

/** To two decimals. */
const rounded = (fit: number) => Math.round(fit * 100) / 100;
