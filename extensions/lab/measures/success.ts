/** Success and reciprocal rank: whether one of the best documents is found, and at which rank. */

import { type Grades, targets } from '../grades.ts';
import { cutoff, type Measure } from './measure.ts';

/** Hit@k, or success@k: 1 where a document of the query's highest grade is among the first k. */
export function hit(k: number): Measure {
  const depth = cutoff(k);
  return {
    name: `Hit@${depth}`,
    definition: `1 where a document of the highest grade that the query has is among the first ${depth}, else 0.`,
    citation: 'success@n: Craswell and Hawking, Overview of the TREC-2004 Web track, NIST SP 500-261.',
    empty: 0,
    compute: (ranking, grades) => (firstHit(ranking, grades, depth) === null ? 0 : 1),
  };
}

/** MRR@k: the reciprocal rank of the first hit, in the sense of Hit@k. */
export function reciprocalRank(k: number): Measure {
  const depth = cutoff(k);
  return {
    name: `MRR@${depth}`,
    definition:
      '1 / rank of the first document of the highest grade that the query has; ' +
      `0 where none is among the first ${depth}.`,
    citation: 'Voorhees, The TREC-8 question answering track report, NIST SP 500-246, 1999.',
    empty: 0,
    compute: (ranking, grades) => {
      const rank = firstHit(ranking, grades, depth);
      return rank === null ? 0 : 1 / rank;
    },
  };
}

/** Rank, from 1, of the first document of the query's highest grade; null where none is in the first `depth`. */
export function firstHit(ranking: readonly string[], grades: Grades, depth = ranking.length): number | null {
  const wanted = targets(grades);
  const index = ranking.slice(0, depth).findIndex((id) => wanted.has(id));
  return index === -1 ? null : index + 1;
}
