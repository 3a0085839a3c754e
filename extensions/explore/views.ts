/**
 * Two small views. Start: where somebody begins who does not know the catalog, with its themes, and requests that its skills say
 * they are for. Why: what another description would change over a set of queries.
 */

import { rankChanges } from '../../src/authoring/ranks.ts';
import type { LibraryView } from '../../src/catalog/library.ts';
import { GatewayError } from '../../src/gateway/gateway.ts';
import { resolveSkill } from '../../src/gateway/resolve.ts';
import { entryAt, type Searchable } from '../../src/search/search.ts';
import type { Api, RankChanges, Start } from './api.ts';

/** Requests that are given. */
const EXAMPLES = 6;
/** Length of one, characters. */
const SHORTEST = 12;
const LONGEST = 70;
/** Skills in order of id that are tried after those of the themes. */
const TRIED = 50;
/** What follows is a situation, up to the end of the clause. */
const WHEN =
  /\bwhen (?:(?:the |a )?users? |you |somebody |someone )?(?:(?:wants?|needs?|says?|is asked|asked|asks?) (?:to |for |about )?)?([^.,;:()]+)/i;
/** Beginnings without their subject, which nobody would write. */
const HALF = /^(?:has|have|is|are|says?|mentions?|wants?|needs?|uses?)\b/i;
/** Losers that are named. */
const MAX_LOSERS = 20;

export async function startView(view: LibraryView): Promise<Start> {
  const { themes } = await view.summary();
  const { reader } = await view.current();
  const samples = [0, 1, 2].flatMap((turn) =>
    themes.flatMap((theme) => reader.resolve(theme.samples[turn] ?? '').slice(0, 1)),
  );
  const found = new Set<string>();
  // One of each theme, the largest first, then a second one; a small catalog has no themes.
  for (const ordinal of [...samples, ...reader.ordinalsByKey().subarray(0, TRIED)]) {
    const example = exampleIn(entryAt(reader, ordinal).description);
    if (example !== null && found.size < EXAMPLES) found.add(example);
  }
  return {
    examples: [...found],
    themes: themes.map(({ label, skills, samples }) => ({ label, typical: samples[0] ?? '', skills })),
  };
}

/** What a description says it is for, in the words of somebody who asks. */
function exampleIn(description: string): string | null {
  const quoted = WHEN.exec(description)?.[1]?.replace(/\s+/g, ' ').trim() ?? '';
  const text = quoted.replace(/^["'“”‘’`«](.*)["'“”‘’`»]$/, '$1');
  if (/["“”`«»]/.test(text)) return null;
  return text.length >= SHORTEST && text.length <= LONGEST && !HALF.test(text) ? text : null;
}

export async function whyView(
  { skill, description, queries }: Api['why']['request'],
  index: Searchable,
): Promise<RankChanges> {
  const { reader } = index;
  const { id } = resolveSkill(reader, skill, index.precedence);
  const ordinal = reader.ordinalOf(id);
  if (ordinal === null) throw new GatewayError('SKILL_UNKNOWN', `There is no skill ${id}.`);
  const changes = await rankChanges({ ordinal, accept: reader.accept([]), queries, description }, index);
  const losers = new Map<string, number>();
  // Among skills that no page shows, nobody loses anything.
  for (const { passed, reached } of changes)
    for (const other of reached ? passed : []) losers.set(other, (losers.get(other) ?? 0) + 1);
  return {
    id,
    rows: changes.map(({ passed: _, ...row }) => row),
    losers: [...losers]
      .map(([loser, times]) => ({ id: loser, queries: times }))
      .sort((a, b) => b.queries - a.queries || (a.id < b.id ? -1 : 1))
      .slice(0, MAX_LOSERS),
  };
}
