/**
 * Which segments to merge, and when. New segments merge by the logarithmic method (Bentley & Saxe, 1980), so the cost
 * of one edit grows with the logarithm of the documents added since the last full merge. All segments merge once a
 * fifth of the index is dead or outside the first segment. `segment/merge.ts` does the merging.
 */

import type { LiveSegment } from './manifest.ts';

/** Share of documents that are dead or outside the first segment, above which a full merge pays. */
const COMPACT_SHARE = 0.2;
/** Above this number of segments, the cost of searching them exceeds the cost of merging them. */
export const MAX_SEGMENTS = 8;
/**
 * A merge includes each segment that is at most this many times as large as all newer ones together. At 2, with commits
 * of one document, each document is written 9 times until 20,000 were added and 17 times until 200,000. At 1 it is 17
 * and 139 times, at 3 it is 10 and 14.
 */
const GROWTH = 2;
/**
 * A first segment that is shared with other indexes is kept, whatever is added to it, while the other documents are at most this
 * many times as many. Beyond that, a copy of its own makes the index little larger.
 */
const SHARED_GROWTH = 8;

type Size = Pick<LiveSegment, 'documents' | 'dead' | 'shared'>;

/**
 * Number of the first segment to merge with all newer ones; null if there is nothing to merge. The first segment and
 * its graph are rewritten only if that removes most of the dead and late documents.
 */
export function compactionOf(segments: readonly Size[]): number | null {
  const late = segments.slice(1);
  const total = sumOf(segments, ({ documents }) => documents);
  const lateDead = sumOf(late, ({ dead }) => dead.length);
  const scattered = (segments[0]?.dead.length ?? 0) + sumOf(late, ({ documents }) => documents);
  if (isWorthSharing(segments)) {
    if (lateDead > sumOf(late, livingOf)) return 1;
  } else if (scattered > COMPACT_SHARE * total) return lateDead > scattered / 2 ? 1 : 0;

  if (segments.length <= MAX_SEGMENTS) return null;
  let from = MAX_SEGMENTS - 1;
  let merged = sumOf(segments.slice(from), livingOf);
  while (from > 1 && livingOf(segments[from - 1]!) <= GROWTH * merged) {
    from -= 1;
    merged += livingOf(segments[from]!);
  }
  return from;
}

/** Whether the first segment is shared, and most of it is in use here. */
function isWorthSharing([first, ...late]: readonly Size[]): boolean {
  if (first?.shared !== true || first.dead.length > first.documents / 2) return false;
  return sumOf(late, livingOf) <= SHARED_GROWTH * first.documents;
}

const livingOf = ({ documents, dead }: Size) => documents - dead.length;

const sumOf = (segments: readonly Size[], count: (segment: Size) => number) =>
  segments.reduce((sum, segment) => sum + count(segment), 0);
