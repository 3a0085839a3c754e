/** `skillgate why`: the rank of a skill for a query, what it lacks, and which words would change its rank. */

import type { CommonOptions, LibraryView } from '../../../src/app/extension-api.ts';
import { counted, named, oneLine } from '../../../src/base/text.ts';
import { sayRulesForEverybody, withAudit, withLibrary } from '../../../src/cli/commands/with-gateway.ts';
import { clip, colours, print, printReport, say, width, wrapped } from '../../../src/cli/output.ts';
import { FEATURE_TITLES, separationText } from '../../../src/cli/scores.ts';
import { GatewayError } from '../../../src/gateway/gateway.ts';
import { observed, retryRepaired } from '../../../src/gateway/intercept.ts';
import { compilePolicy } from '../../../src/gateway/policy/policy.ts';
import { LOCAL } from '../../../src/gateway/policy/principal.ts';
import { findOrdinal, resolveSkill } from '../../../src/gateway/resolve.ts';
import { viewFor } from '../../../src/gateway/view.ts';
import { why as explained, NEARLY_SAME_CARD, type Rival, type WhyAnswer } from '../why.ts';

/** Tried words that are printed; the JSON has all. */
const PRINTED_WORDS = 6;
const INDENT = '  ';

export interface WhyOptions extends CommonOptions {
  readonly top: number;
}

export async function why(query: string, skill: string, options: WhyOptions): Promise<void> {
  const answer = await withLibrary(options, (library, { config }) =>
    withAudit(config, async (audit) => {
      sayRulesForEverybody(config);
      const view = viewFor(library, compilePolicy(config.policy).grantsOf(LOCAL));
      const explain = (request: WhyRequest) => retryRepaired(library, () => explainRank(view, request));
      const now = () => performance.now();
      const { why } =
        audit === null
          ? { why: explain }
          : observed({ why: explain }, { principal: LOCAL, observe: audit.observe, now });
      return why({ query, skill, page: options.top });
    }),
  );
  if (options.json === true) printReport(answer);
  else show(answer);
}

const printSentence = (text: string) => {
  for (const line of wrapped(text, width())) print(line);
};

interface WhyRequest {
  readonly query: string;
  /** Id, URI or name. */
  readonly skill: string;
  /** Hits of a first page. Default 5. */
  readonly page?: number;
}

/** Why a skill of the view has its rank. Rejects with `GatewayError` where there is no such skill, or no query. */
export async function explainRank(view: LibraryView, { query, skill, page }: WhyRequest): Promise<WhyAnswer> {
  if (query.trim() === '')
    throw new GatewayError('REQUEST_INVALID', 'The query is empty: give the query to explain.');
  const index = await view.current();
  const { id } = resolveSkill(index.reader, skill, index.precedence);
  const ordinal = findOrdinal(index.reader, id);
  return explained({ query, ordinal, accept: index.reader.accept([]), page }, index);
}

function show(answer: WhyAnswer): void {
  const { retrieval, id, passage } = answer;
  if (retrieval.note !== undefined) say(colours.yellow(retrieval.note));
  printSentence(`${colours.bold(named(id))}: ${rankText(answer)}`);
  showParts(answer);
  for (const lead of answer.behind)
    printSentence(clip(`Rank ${lead.rank}, ${lead.id}, is ahead ${separationText(lead)}.`, 1_000));
  showWords(answer);
  if (passage !== null) {
    const [from, to] = passage.lines;
    print('Best matching passage:');
    print(
      `${INDENT}${colours.cyan(`${named(passage.path)}:${from}-${to}`)} ${oneLine(passage.heading.join(' › '))}`,
    );
    print(`${INDENT}${colours.dim(clip(passage.excerpt, width() - INDENT.length))}`);
  }
  showSuggestions(answer);
}

function rankText({ rank, searched, reached, foldedUnder, score }: WhyAnswer): string {
  if (!reached)
    return `not retrieved, neither by words nor by meaning. With all of ${counted(searched, 'skill')} scored, its rank is ${rank} (${score.toFixed(3)}).`;
  const folded = foldedUnder === null ? '' : `, shown as a twin of ${named(foldedUnder)}`;
  return `rank ${rank} of ${counted(searched, 'skill')} (${score.toFixed(3)})${folded}.`;
}

/** The skills by rank, then a row for each feature with what it adds to the score of each. */
function showParts({ rank, id, score, parts, rivals }: WhyAnswer): void {
  const rows: (Omit<Rival, 'cardSimilarity'> & { cardSimilarity?: number | null })[] = [
    ...rivals,
    { rank, id, score, parts },
  ].sort((a, b) => a.rank - b.rank || (a.id === id ? 1 : -1));
  print(colours.dim(`${INDENT}rank  score  skill`));
  for (const row of rows) {
    const line = `${INDENT}${String(row.rank).padStart(4)}  ${row.score.toFixed(3)}  ${named(row.id)}`;
    const same =
      (row.cardSimilarity ?? 0) >= NEARLY_SAME_CARD
        ? colours.yellow(', nearly the same name and description')
        : '';
    print((row.id === id ? colours.bold(line) : line) + same);
  }
  const names = Object.keys(parts) as (keyof typeof FEATURE_TITLES)[];
  const wide = Math.max(...names.map((name) => FEATURE_TITLES[name].length));
  const ranks = rows.map((row) => `rank ${row.rank}`.padStart(9)).join('');
  print(colours.dim(`${INDENT}${'What adds to the score'.padEnd(wide)}${ranks}`));
  for (const name of names) {
    if (rows.every((row) => Math.abs(row.parts[name] ?? 0) < 0.0005)) continue;
    const cells = rows.map((row) => (row.parts[name] ?? 0).toFixed(3).padStart(9)).join('');
    print(`${INDENT}${FEATURE_TITLES[name].padEnd(wide)}${cells}`);
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
    printSentence(`Query words that it does not contain, with their weight: ${named(nowhere)}.`);
  if (below.length > 0) print(`Query words outside its name and description: ${named(below)}.`);
  if (words.length > 0 && nowhere.length + below.length === 0)
    print('Its name and description contain all query words.');
}

function showSuggestions({ rank, foldedUnder, about, tried, best }: WhyAnswer): void {
  if (rank === 1 && foldedUnder === null) {
    print('It is first, so no words were tried.');
    return;
  }
  if (!about) {
    printSentence(
      'The skill is not about this request, so no words are proposed: they would promise what it does not do. If it should be, its text has to say so first.',
    );
    return;
  }
  if (tried.length === 0) {
    printSentence(
      'There is no word to propose: its name and description already have the words of the request that the skill uses.',
    );
    return;
  }
  const helping = tried.filter((word) => word.rank < rank);
  if (best === null) {
    printSentence(
      `None of the ${counted(tried.length, 'word')} tried in its description improves its rank: ${tried.map(({ word }) => word).join(', ')}.`,
    );
    return;
  }
  if (helping.length > 0) {
    print('Its rank with one more word of its own text in the description:');
    print(colours.dim(`${INDENT}rank  score  word`));
    for (const { word, rank: to, score, from } of helping.slice(0, PRINTED_WORDS)) {
      const origin = from === 'query' ? 'from the request' : 'from the skills before it';
      print(
        `${INDENT}${String(to).padStart(4)}  ${score.toFixed(3)}  ${colours.green(word)}  ${colours.dim(origin)}`,
      );
    }
  }
  printSentence(
    `With "${colours.green(best.sentence)}" at the end of its description: rank ${best.rank} (${best.score.toFixed(3)}), computed as a search would, from rank ${rank}.`,
  );
}
