/** The ranks of one skill over a whole set of queries: as the index has it, and with another description. */

import { type Candidates, candidatesFor, queryText } from '../search/candidates.ts';
import { entryAt, type Searchable } from '../search/search.ts';
import { RankingScenario, type RankResult } from './ranking-scenario.ts';
import { rewording } from './reword.ts';

/** The skill, and the documents that may be found, which must contain it. */
interface Subject {
  readonly ordinal: number;
  readonly accept: Uint8Array;
}

export interface AskedRequest {
  readonly text: string;
  /** Ordinals of the skills that should come first. Empty: this skill. */
  readonly wanted: readonly number[];
}

export interface RequestRank {
  readonly request: string;
  /** Whether this skill should answer it. */
  readonly isOwn: boolean;
  /** From 1; for a skill that no page shows, its rank among all skills. */
  readonly rank: number;
  /** Whether a page shows it. */
  readonly reached: boolean;
  /** Id of the first hit. */
  readonly first: string;
  /** For a request of another skill: whether this one ranks before it. */
  readonly takes: boolean;
}

/** One for each request, in their order. */
export async function ranksOf(
  { requests, ...subject }: Subject & { readonly requests: readonly AskedRequest[] },
  index: Searchable,
): Promise<RequestRank[]> {
  const { ordinal } = subject;
  const ranks: RequestRank[] = [];
  for (const { text, wanted } of requests) {
    const { query, scenario } = await asked(text, subject, index);
    const result = scenario.asIndexed();
    const isOwn = wanted.length === 0 || wanted.includes(ordinal);
    const [leader] = result.leaders;
    ranks.push({
      request: query,
      isOwn,
      rank: result.rank,
      reached: result.isCandidate,
      first: entryAt(index.reader, leader === undefined ? ordinal : result.ordinals[leader]!).id,
      takes: !isOwn && isAhead(wanted, result),
    });
  }
  return ranks;
}

/** Whether the skill ranks before every skill that should answer. */
function isAhead(wanted: readonly number[], { rank, leaders, ordinals, isCandidate }: RankResult): boolean {
  if (!isCandidate) return false;
  const places = leaders.flatMap((leader, place) => (wanted.includes(ordinals[leader]!) ? [place + 1] : []));
  return places.every((place) => rank < place);
}

/** Skills named that it passes, the best first. */
const MAX_PASSED = 5;

interface RankChange {
  readonly query: string;
  /** From 1; for a skill that no page shows, its rank among all skills. */
  readonly before: number;
  readonly after: number;
  /** Whether a page shows it with the other description. */
  readonly reached: boolean;
  /** Id of the first hit with the other description. */
  readonly first: string;
  /** Ids that it ranks before now and did not before, the best first. */
  readonly passed: readonly string[];
}

/** What the other description changes: one for each query, in their order. Nothing is indexed. */
export async function rankChanges(
  {
    queries,
    description,
    ...subject
  }: Subject & { readonly queries: readonly string[]; readonly description: string },
  index: Searchable,
): Promise<RankChange[]> {
  const { reader, embedder } = index;
  const { ordinal } = subject;
  const entry = entryAt(reader, ordinal);
  const changes: RankChange[] = [];
  for (const query of queries) {
    const { candidates, scenario } = await asked(query, subject, index);
    const { words, vector } = candidates;
    const reworded = rewording({ reader, embedder, words, vector, ordinal, entry });
    const before = scenario.asIndexed();
    const after = scenario.with((await reworded([description]))[0]!);
    const ids = ({ leaders, ordinals }: RankResult) => leaders.map((leader) => reader.key(ordinals[leader]!));
    const behindNow = new Set(ids(after).slice(after.rank));
    changes.push({
      query,
      before: before.rank,
      after: after.rank,
      reached: after.isCandidate,
      first: ids(after)[0] ?? entry.id,
      passed: ids(before)
        .slice(0, before.rank - 1)
        .filter((id) => behindNow.has(id))
        .slice(0, MAX_PASSED),
    });
  }
  return changes;
}

async function asked(
  text: string,
  { ordinal, accept }: Subject,
  { reader, embedder }: Searchable,
): Promise<{ query: string; candidates: Candidates; scenario: RankingScenario }> {
  const query = queryText(text);
  const candidates = await candidatesFor(query, reader, embedder, accept);
  const scenario = await RankingScenario.open(reader, candidates, accept, ordinal);
  return { query, candidates, scenario };
}
