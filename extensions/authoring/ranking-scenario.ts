/**
 * The rank of one skill for a query, also if the search does not find it: then among all skills, scored the same
 * way. Optionally with other signals than the indexed ones, as if its description were another (counterfactual).
 */

import type { Reader, Searchable } from '../../src/app/extension-api.ts';
import { type Candidates, depthFor } from '../../src/search/candidates.ts';
import { withCards } from '../../src/search/cards.ts';
import type { Copies } from '../../src/search/copies.ts';
import {
  type Features,
  type FirstSignals,
  featuresFrom,
  firstSignalsOf,
  type OwnSignals,
  type PassageSignals,
  passageSignalsOf,
} from '../../src/search/features.ts';
import { foldCopies, rankCandidates, similarRequests } from '../../src/search/ranking.ts';
import { withPassages } from '../../src/search/rerank.ts';

/** One skill under a hypothetical description. */
export interface Counterfactual {
  /** Columns of length 1. */
  readonly signals: OwnSignals;
  /** Cosine of the summary vector, which decides with `signals.bm25f` whether it becomes a candidate; 0 without vectors. */
  readonly meaning: number;
  /** How similar the query is to its requests, as `similarRequests` gives it. Default: as indexed. */
  readonly similar?: number;
}

export interface RankResult {
  /** From 1. Among candidates, near-identical skills count once, as in an answer; among all skills, each one counts. */
  readonly rank: number;
  /** Whether the search makes it a candidate. */
  readonly isCandidate: boolean;
  /** Ordinal of the near-identical skill under which it is folded, or null. */
  readonly foldedUnder: number | null;
  readonly score: number;
  /** Features of all ranked skills; the skill's own are in column `at`. */
  readonly features: Features;
  /** What requests add to each score; null if nothing. */
  readonly learned: Float32Array | null;
  readonly at: number;
  /** Ordinals of all ranked skills, in order of the columns. */
  readonly ordinals: Uint32Array;
  /** Columns of the skills that have a rank of their own, best first. */
  readonly leaders: readonly number[];
}

type ScenarioIndex = Pick<Searchable, 'reader' | 'precedence' | 'learned'>;

/** The skill, and the documents that may be found, which must contain it. */
export interface Subject {
  readonly ordinal: number;
  readonly accept: Uint8Array;
}

/** A skill with more of either becomes a candidate: a BM25F score, a cosine. */
interface Bar {
  readonly words: number;
  readonly meaning: number;
}

/** Skills that are ranked together, with their cheap signals. */
interface Pool {
  readonly ordinals: Uint32Array;
  readonly first: FirstSignals;
  /** False for all skills. */
  readonly areCandidates: boolean;
}

/** One query and one skill. Caches what does not depend on the skill's signals. */
export class RankingScenario {
  readonly #index: ScenarioIndex;
  readonly #candidates: Candidates;
  readonly #subject: Subject;
  readonly #bar: Bar;
  readonly #near: Pool;
  /** By ordinal, how similar the query is to requests that the skill answers; see `similarRequests`. */
  readonly #similar: ReadonlyMap<number, number>;
  #all: Pool | null = null;

  private constructor(
    index: ScenarioIndex,
    candidates: Candidates,
    subject: Subject,
    { bar, similar }: { readonly bar: Bar; readonly similar: ReadonlyMap<number, number> },
  ) {
    this.#index = index;
    this.#candidates = candidates;
    this.#subject = subject;
    this.#bar = bar;
    this.#similar = similar;
    this.#near = this.#pool(candidates.ordinals, true);
  }

  static async open(index: ScenarioIndex, candidates: Candidates, subject: Subject) {
    const { words, vector } = candidates;
    const { reader } = index;
    const known = Uint32Array.from(new Set([...candidates.ordinals, subject.ordinal]));
    const values = (await similarRequests({ words, vector }, index, known)) ?? new Float32Array(0);
    const similar = new Map(Array.from(values, (value, at): [number, number] => [known[at]!, value]));
    const bar = await barFor(reader, candidates, subject);
    return new RankingScenario(index, candidates, subject, { bar, similar });
  }

  /** The rank with the indexed signals. */
  asIndexed(): RankResult {
    const isCandidate = this.#near.ordinals.includes(this.#subject.ordinal);
    return this.#rank(isCandidate ? this.#near : this.#everything(), null);
  }

  /** The rank with hypothetical signals. */
  with({ signals, meaning, similar }: Counterfactual): RankResult {
    const isCandidate = signals.bm25f[0]! > this.#bar.words || meaning > this.#bar.meaning;
    const pool = isCandidate ? this.#near : this.#everything();
    return this.#rank(replaceSignals(pool, this.#subject.ordinal, signals), signals, similar);
  }

  #pool(ordinals: Uint32Array, areCandidates: boolean): Pool {
    const { words, vector } = this.#candidates;
    return { ordinals, first: firstSignalsOf(this.#index.reader, ordinals, words, vector), areCandidates };
  }

  #everything(): Pool {
    if (this.#all !== null) return this.#all;
    const { accept } = this.#subject;
    const ordinals = this.#index.reader.ordinalsByKey().filter((ordinal) => accept[ordinal] === 1);
    this.#all = this.#pool(ordinals.sort(), false);
    return this.#all;
  }

  /** `replacement` replaces the indexed passage signals of the skill, `own` its similarity. Copies are folded among candidates only. */
  #rank(
    { ordinals, first, areCandidates }: Pool,
    replacement: PassageSignals | null,
    own = this.#similar.get(this.#subject.ordinal) ?? 0,
  ): RankResult {
    const { reader, precedence } = this.#index;
    const { words, vector } = this.#candidates;
    const at = ordinals.indexOf(this.#subject.ordinal);
    const signals = withPassages(first, (places) => {
      const ranked = places.map((place) => ordinals[place]!);
      const indexed = passageSignalsOf(reader, ranked, words, vector);
      const place = places.indexOf(at);
      if (replacement === null || place < 0) return indexed;
      return {
        passage: indexed.passage.with(place, replacement.passage[0]!),
        best: indexed.best.with(place, replacement.best[0]!),
      };
    });
    const features = withCards(featuresFrom(signals), words, first.byTerm, ordinals, reader);
    const similar =
      this.#similar.size === 0 && own === 0
        ? null
        : Float32Array.from(ordinals, (ordinal, place) =>
            place === at ? own : (this.#similar.get(ordinal) ?? 0),
          );
    const ranking = rankCandidates(reader, { ordinals, features, card: first.card, vector }, similar);
    const groups: readonly Pick<Copies, 'leader' | 'copies' | 'twins'>[] = areCandidates
      ? foldCopies(ranking, { precedence }).groups
      : Array.from(ranking.order, (leader) => ({ leader, copies: [], twins: [] }));
    const place = groups.findIndex(
      ({ leader, copies, twins }) => leader === at || copies.includes(at) || twins.includes(at),
    );
    const { leader } = groups[place]!;
    return {
      rank: place + 1,
      isCandidate: areCandidates,
      foldedUnder: leader === at ? null : ordinals[leader]!,
      score: ranking.scores[at]!,
      features,
      learned: ranking.learned,
      at,
      ordinals,
      leaders: groups.map((group) => group.leader),
    };
  }
}

/** What the skill must exceed to become a candidate. It does not compete with its own indexed version. */
async function barFor(
  reader: Reader,
  { words, vector }: Candidates,
  { accept, ordinal }: Subject,
): Promise<Bar> {
  const others = accept.with(ordinal, 0);
  const depth = depthFor(reader.documents);
  const vectors = vector === null ? null : await reader.vectorsForSearch();
  return {
    words: reader.lexical.match(words, depth, others).scores[depth - 1] ?? 0,
    meaning:
      vector === null || vectors === null
        ? Number.POSITIVE_INFINITY
        : (vectors.nearest(vector, depth, others).scores[depth - 1] ?? Number.NEGATIVE_INFINITY),
  };
}

/** The pool with these signals of the skill, which joins it where it is missing. */
function replaceSignals(pool: Pool, ordinal: number, signals: FirstSignals): Pool {
  const index = pool.ordinals.indexOf(ordinal);
  const at = index < 0 ? pool.ordinals.length : index;
  const replace = (name: Exclude<keyof FirstSignals, 'hasSignedNumber'>) => {
    const [column, row] = [pool.first[name], signals[name]];
    const copy = new Float32Array(Math.max(column.length, (at + 1) * row.length));
    copy.set(column);
    copy.set(row, at * row.length);
    return copy;
  };
  return {
    ...pool,
    ordinals: index < 0 ? Uint32Array.from([...pool.ordinals, ordinal]) : pool.ordinals,
    first: {
      bm25f: replace('bm25f'),
      cardBm25: replace('cardBm25'),
      coverage: replace('coverage'),
      identifiers: replace('identifiers'),
      hasSignedNumber: pool.first.hasSignedNumber,
      name: replace('name'),
      byTerm: replace('byTerm'),
      card: replace('card'),
    },
  };
}
