/**
 * How much search_skills says of each hit: as much as a budget of tokens leaves room for. Ids, paths and scores are
 * never cut; what is said in prose shares the room that they leave.
 */

import { estimateTokens } from '../../gateway/tokens.ts';

/** How much is said of the hits. */
export interface Extent {
  /** Characters at most. */
  readonly description: number;
  readonly excerpt: number;
  readonly heading: number;
  /** Passages at most that are shown of the first hit, and of each other. */
  readonly evidenceOfFirst: number;
  readonly evidence: number;
}

/** What stands in an answer and may be cut. */
export interface Prose {
  readonly descriptions: readonly string[];
  readonly excerpts: readonly string[];
  readonly headings: readonly string[];
}

/** Characters of a description where there is room for all; what an excerpt and a heading get of as many. */
const MOST = 200;
const EXCERPT_SHARE = 0.7;
const HEADING_SHARE = 0.4;
/** Below this a line says nothing: it is what remains even where the budget is passed. */
const LEAST = 40;
const STEP = 4;

/** Passages shown, generous first, and the characters of a description for whose sake fewer are shown. */
const SHAPES = [
  { evidenceOfFirst: 2, evidence: 1, least: 150 },
  { evidenceOfFirst: 1, evidence: 1, least: 90 },
  { evidenceOfFirst: 1, evidence: 0, least: 60 },
  { evidenceOfFirst: 0, evidence: 0, least: LEAST },
] as const;
type Shape = (typeof SHAPES)[number];

/**
 * The most telling version of an answer that `write` makes within `budget` tokens, or the shortest. Written once in full;
 * what has to go is then known, and is taken from the longest texts first, evenly.
 */
export function fitted<Version extends { readonly text: string; readonly prose: Prose }>(
  budget: number,
  write: (extent: Extent) => Version,
): Version {
  for (const shape of SHAPES) {
    const whole = write(extentOf(shape, MOST));
    const over = estimateTokens(whole.text) - budget;
    if (over <= 0) return whole;
    for (let room = roomWithout(over, whole.prose); room >= shape.least; room -= STEP) {
      const version = write(extentOf(shape, room));
      if (estimateTokens(version.text) <= budget) return version;
    }
  }
  return write(extentOf(SHAPES.at(-1)!, LEAST));
}

const extentOf = ({ evidenceOfFirst, evidence }: Shape, room: number): Extent => ({
  description: room,
  excerpt: Math.floor(EXCERPT_SHARE * room),
  heading: Math.floor(HEADING_SHARE * room),
  evidenceOfFirst,
  evidence,
});

/** Characters of a description at which so many tokens less are said; below `LEAST` where that cannot be. */
function roomWithout(tokens: number, { descriptions, excerpts, headings }: Prose): number {
  const pieces = [
    ...descriptions.map((text) => pieceOf(text, 1)),
    ...excerpts.map((text) => pieceOf(text, EXCERPT_SHARE)),
    ...headings.map((text) => pieceOf(text, HEADING_SHARE)),
  ];
  const saved = (room: number) =>
    pieces.reduce((sum, { length, share, cost }) => sum + cost * Math.max(0, length - share * room), 0);
  let room = MOST;
  while (room >= LEAST && saved(room) < tokens) room -= STEP;
  return room;
}

/** `cost` in tokens a character. */
const pieceOf = (text: string, share: number) => ({
  length: text.length,
  share,
  cost: text === '' ? 0 : estimateTokens(text) / text.length,
});
