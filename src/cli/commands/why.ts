/** `skillgate why`: where a skill stands for a query, what it lacks, and which words would change that. */

import { NEARLY_SAME_CARD } from '../../search/collisions.ts';
import { separationText } from '../../search/separation.ts';
import type { Rival, WhyAnswer } from '../../search/why.ts';
import { clip, colours, print, printJson, say, width } from '../output.ts';
import type { CommonOptions } from '../settings.ts';
import { withGateway } from './with-gateway.ts';

/** Tried words that are listed; all are in the JSON. */
const TRIED = 6;
const INDENT = '  ';

export interface WhyOptions extends CommonOptions {
  readonly top: number;
}

export async function why(query: string, skill: string, options: WhyOptions): Promise<void> {
  const answer = await withGateway(options, (gateway) => gateway.why({ query, skill, page: options.top }));
  if (options.json === true) printJson(answer);
  else show(answer);
}

function show(answer: WhyAnswer): void {
  const { retrieval, id, passage } = answer;
  if (retrieval.note !== undefined) say(colours.yellow(retrieval.note));
  print(`${colours.bold(id)}: ${placeOf(answer)}`);
  showParts(answer);
  for (const lead of answer.behind)
    print(clip(`Rank ${lead.rank}, ${lead.id}, is ahead ${separationText(lead)}.`, 1_000));
  showWords(answer);
  if (passage !== null) {
    const [from, to] = passage.lines;
    print('Speaks best for it:');
    print(`${INDENT}${colours.cyan(`${passage.path}:${from}-${to}`)} ${passage.heading.join(' › ')}`);
    print(`${INDENT}${colours.dim(clip(passage.excerpt, width() - INDENT.length))}`);
  }
  showSuggestions(answer);
}

function placeOf({ rank, searched, reached, foldedUnder, score }: WhyAnswer): string {
  if (!reached)
    return `not reached: neither among the nearest by words nor by meaning. Of all ${searched} skills scored alike it is number ${rank} (${score.toFixed(3)}).`;
  const folded = foldedUnder === null ? '' : `, shown as a twin of ${foldedUnder}`;
  return `rank ${rank} of ${searched} skills (${score.toFixed(3)})${folded}.`;
}

/** One row a skill, one column a feature. */
function showParts({ rank, id, score, parts, rivals }: WhyAnswer): void {
  const rows: (Omit<Rival, 'cardSimilarity'> & { cardSimilarity?: number | null })[] = [
    ...rivals,
    { rank, id, score, parts },
  ].sort((a, b) => a.rank - b.rank || (a.id === id ? 1 : -1));
  const names = Object.keys(parts);
  print(colours.dim(`${INDENT}rank  score  ${names.map((name) => name.padStart(9)).join(' ')}  skill`));
  for (const row of rows) {
    const cells = names.map((name) => (row.parts[name] ?? 0).toFixed(3).padStart(9)).join(' ');
    const line = `${INDENT}${String(row.rank).padStart(4)}  ${row.score.toFixed(3)}  ${cells}  ${row.id}`;
    const same = (row.cardSimilarity ?? 0) >= NEARLY_SAME_CARD ? colours.yellow(' nearly the same card') : '';
    print((row.id === id ? colours.bold(line) : line) + same);
  }
}

function showWords({ words }: WhyAnswer): void {
  const nowhere = words.filter(({ heldBy }) => heldBy.length === 0);
  const below = words.filter(
    ({ heldBy }) => heldBy.length > 0 && !heldBy.includes('name') && !heldBy.includes('description'),
  );
  const named = (some: WhyAnswer['words']) =>
    some.map(({ word, weight }) => `${word} (${Math.round(100 * weight)} %)`).join(', ');
  if (nowhere.length > 0)
    print(`Words of the query that it never says, with their weight: ${named(nowhere)}.`);
  if (below.length > 0) print(`That it says, but not in name or description: ${named(below)}.`);
  if (words.length > 0 && nowhere.length + below.length === 0)
    print('Its name and description hold all words of the query.');
}

function showSuggestions({ rank, foldedUnder, tried, best }: WhyAnswer): void {
  if (rank === 1 && foldedUnder === null) {
    print('It is first: no words were tried.');
    return;
  }
  const helping = tried.filter((word) => word.rank < rank);
  if (best === null) {
    print(
      tried.length === 0
        ? 'There is no word to try: its description holds the words of the query already.'
        : `None of the ${tried.length} words that were tried in its description gives it a better rank: ${tried.map(({ word }) => word).join(', ')}.`,
    );
    return;
  }
  if (helping.length > 0) {
    print('With one word at the end of its description it would stand at');
    for (const { word, rank: to, score, from, heldBy } of helping.slice(0, TRIED)) {
      const origin = from === 'query' ? 'from the query' : 'from the winners';
      const own = heldBy.length === 0 ? '; the skill never says it: add it only if it is true' : '';
      print(
        `${INDENT}rank ${to} (${score.toFixed(3)})  ${colours.green(word)}  ${colours.dim(origin + own)}`,
      );
    }
  }
  print(
    `Best of what was tried: ${colours.green(best.words.join(', '))} → rank ${best.rank} (${best.score.toFixed(3)}), from rank ${rank}.`,
  );
}
