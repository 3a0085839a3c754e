/** `skillgate why`: the rank of a skill for a query, what it lacks, and which words would change its rank. */

import type { CommonOptions } from '../../app/settings.ts';
import { NEARLY_SAME_CARD, type Rival, type WhyAnswer } from '../../authoring/why.ts';
import { counted } from '../../mcp/text.ts';
import { separationText } from '../../search/separation.ts';
import { clip, colours, print, printReport, say, width } from '../output.ts';
import { withGateway } from './with-gateway.ts';

/** Tried words that are printed; the JSON has all. */
const PRINTED_WORDS = 6;
const INDENT = '  ';

export interface WhyOptions extends CommonOptions {
  readonly top: number;
}

export async function why(query: string, skill: string, options: WhyOptions): Promise<void> {
  const answer = await withGateway(options, (gateway) => gateway.why({ query, skill, page: options.top }));
  if (options.json === true) printReport(answer);
  else show(answer);
}

function show(answer: WhyAnswer): void {
  const { retrieval, id, passage } = answer;
  if (retrieval.note !== undefined) say(colours.yellow(retrieval.note));
  print(`${colours.bold(id)}: ${rankText(answer)}`);
  showParts(answer);
  for (const lead of answer.behind)
    print(clip(`Rank ${lead.rank}, ${lead.id}, is ahead ${separationText(lead)}.`, 1_000));
  showWords(answer);
  if (passage !== null) {
    const [from, to] = passage.lines;
    print('Best matching passage:');
    print(`${INDENT}${colours.cyan(`${passage.path}:${from}-${to}`)} ${passage.heading.join(' › ')}`);
    print(`${INDENT}${colours.dim(clip(passage.excerpt, width() - INDENT.length))}`);
  }
  showSuggestions(answer);
}

function rankText({ rank, searched, reached, foldedUnder, score }: WhyAnswer): string {
  if (!reached)
    return `not retrieved, neither by words nor by meaning. With all of ${counted(searched, 'skill')} scored, its rank is ${rank} (${score.toFixed(3)}).`;
  const folded = foldedUnder === null ? '' : `, shown as a twin of ${foldedUnder}`;
  return `rank ${rank} of ${counted(searched, 'skill')} (${score.toFixed(3)})${folded}.`;
}

/** One row per skill, one column per feature. */
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
    print(`Query words that it does not contain, with their weight: ${named(nowhere)}.`);
  if (below.length > 0) print(`Query words outside its name and description: ${named(below)}.`);
  if (words.length > 0 && nowhere.length + below.length === 0)
    print('Its name and description contain all query words.');
}

function showSuggestions({ rank, foldedUnder, tried, best }: WhyAnswer): void {
  if (rank === 1 && foldedUnder === null) {
    print('It is first, so no words were tried.');
    return;
  }
  const helping = tried.filter((word) => word.rank < rank);
  if (best === null) {
    print(
      tried.length === 0
        ? 'There is no word to try: its description already contains the query words.'
        : `None of the ${counted(tried.length, 'word')} tried in its description improves its rank: ${tried.map(({ word }) => word).join(', ')}.`,
    );
    return;
  }
  if (helping.length > 0) {
    print('Its rank with one word added to its description:');
    for (const { word, rank: to, score, from, heldBy } of helping.slice(0, PRINTED_WORDS)) {
      const origin = from === 'query' ? 'from the query' : 'from the winners';
      const own = heldBy.length === 0 ? '; the skill does not contain it: add it only if it is true' : '';
      print(
        `${INDENT}rank ${to} (${score.toFixed(3)})  ${colours.green(word)}  ${colours.dim(origin + own)}`,
      );
    }
  }
  print(
    `Best combination tried: ${colours.green(best.words.join(', '))} → rank ${best.rank} (${best.score.toFixed(3)}), from rank ${rank}.`,
  );
}
