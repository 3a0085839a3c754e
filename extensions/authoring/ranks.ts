/** The ranks of one skill over a set of queries, as the index has it and with another description. */

import { type Candidates, candidatesFor, queryText } from '../../src/search/candidates.ts';
import { entryAt, type Searchable } from '../../src/search/search.ts';
import { RankingScenario, type RankResult, type Subject } from './ranking-scenario.ts';
import { rewording } from './reword.ts';

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
  subject: Subject,
  { learned: _, ...index }: Searchable,
): Promise<{ query: string; candidates: Candidates; scenario: RankingScenario }> {
  const query = queryText(text);
  const candidates = await candidatesFor(query, index.reader, index.embedder, subject.accept);
  const scenario = await RankingScenario.open(index, candidates, subject);
  return { query, candidates, scenario };
}
