/**
 * Which segments to merge, and when: the newest by the logarithmic method (Bentley & Saxe, 1980), so that an edit costs
 * about the logarithm of what came late, and all of them once a fifth of the index is dead or late. How segments are
 * merged is `segment/merge.ts`'s affair.
 */

import type { LiveSegment } from './manifest.ts';

/** Share of documents, dead or outside the first segment, above which one large merge pays (retrieval: about 20 %). */
const COMPACT_SHARE = 0.2;
/** Segments above which each search pays more than a merge costs. */
export const MOST_SEGMENTS = 8;
/**
 * A merge takes in every segment up to so many times as large as all that follow it. At 2, one document at a time, each
 * is written 9 times until 20,000 came late and 17 times until 200,000; at 1 it would be 17 and 139, at 3 it is 10 and 14.
 */
const GROWTH = 2;

type Size = Pick<LiveSegment, 'documents' | 'dead'>;

/**
 * Number of the first of the newest segments that are to become one; null where none are. The first segment, with the
 * graph over it, is only written anew where that is what takes away most of the dead and late documents.
 */
export function compactionOf(segments: readonly Size[]): number | null {
  const late = segments.slice(1);
  const total = sumOf(segments, ({ documents }) => documents);
  const lateDead = sumOf(late, ({ dead }) => dead.length);
  const scattered = (segments[0]?.dead.length ?? 0) + sumOf(late, ({ documents }) => documents);
  if (scattered > COMPACT_SHARE * total) return lateDead > scattered / 2 ? 1 : 0;

  if (segments.length <= MOST_SEGMENTS) return null;
  let from = MOST_SEGMENTS - 1;
  let merged = sumOf(segments.slice(from), livingOf);
  while (from > 1 && livingOf(segments[from - 1]!) <= GROWTH * merged) {
    from -= 1;
    merged += livingOf(segments[from]!);
  }
  return from;
}

const livingOf = ({ documents, dead }: Size) => documents - dead.length;

const sumOf = (segments: readonly Size[], count: (segment: Size) => number) =>
  segments.reduce((sum, segment) => sum + count(segment), 0);
