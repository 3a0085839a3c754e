/**
 * Shortens the answer of search_skills to a token budget. Ids, paths and scores are never cut; descriptions, excerpts and
 * headings share the rest of the budget.
 */

import { estimateTokens } from '../../gateway/public.ts';

/** Limits for the text of the hits. */
export interface Extent {
  /** Most characters. */
  readonly description: number;
  readonly excerpt: number;
  readonly heading: number;
  /** Most passages of the first hit, and of every other hit. */
  readonly evidenceOfFirst: number;
  readonly evidence: number;
}

/** The texts of an answer that may be cut. */
export interface Prose {
  readonly descriptions: readonly string[];
  readonly excerpts: readonly string[];
  readonly headings: readonly string[];
}

/** Most characters of a description; excerpts and headings get a share of the description's limit. */
const MOST = 200;
const EXCERPT_SHARE = 0.7;
const HEADING_SHARE = 0.4;
/** A shorter line is useless: this much remains even if it exceeds the budget. */
const LEAST = 40;
const STEP = 4;

/** Numbers of passages, largest first. `least`: if descriptions would get shorter than this, show fewer passages. */
const SHAPES = [
  { evidenceOfFirst: 2, evidence: 1, least: 150 },
  { evidenceOfFirst: 1, evidence: 1, least: 90 },
  { evidenceOfFirst: 1, evidence: 0, least: 60 },
  { evidenceOfFirst: 0, evidence: 0, least: LEAST },
] as const;
type Shape = (typeof SHAPES)[number];

/**
 * The longest version of an answer within `budget` tokens, or the shortest version if none fits. `write` makes a version
 * from limits. The full version is written first and shows how much to cut; the longest texts are cut first, evenly.
 */
export function fitToBudget<Version extends { readonly text: string; readonly prose: Prose }>(
  budget: number,
  write: (extent: Extent) => Version,
): Version {
  for (const shape of SHAPES) {
    const whole = write(extentOf(shape, MOST));
    const over = estimateTokens(whole.text) - budget;
    if (over <= 0) return whole;
    for (let length = lengthWithout(over, whole.prose); length >= shape.least; length -= STEP) {
      const version = write(extentOf(shape, length));
      if (estimateTokens(version.text) <= budget) return version;
    }
  }
  return write(extentOf(SHAPES.at(-1)!, LEAST));
}

const extentOf = ({ evidenceOfFirst, evidence }: Shape, length: number): Extent => ({
  description: length,
  excerpt: Math.floor(EXCERPT_SHARE * length),
  heading: Math.floor(HEADING_SHARE * length),
  evidenceOfFirst,
  evidence,
});

/** The description length that saves `tokens` tokens; below `LEAST` if no length does. */
function lengthWithout(tokens: number, { descriptions, excerpts, headings }: Prose): number {
  const pieces = [
    ...descriptions.map((text) => pieceOf(text, 1)),
    ...excerpts.map((text) => pieceOf(text, EXCERPT_SHARE)),
    ...headings.map((text) => pieceOf(text, HEADING_SHARE)),
  ];
  const saved = (limit: number) =>
    pieces.reduce((sum, { length, share, cost }) => sum + cost * Math.max(0, length - share * limit), 0);
  let limit = MOST;
  while (limit >= LEAST && saved(limit) < tokens) limit -= STEP;
  return limit;
}

/** `cost` in tokens per character. */
const pieceOf = (text: string, share: number) => ({
  length: text.length,
  share,
  cost: text === '' ? 0 : estimateTokens(text) / text.length,
});
