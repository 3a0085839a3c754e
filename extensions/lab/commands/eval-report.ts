/** The printed report of `skillgate eval`: figures, missed queries with their winners, and what changed since a baseline. */

import { clip, colours, print, width } from '../../../src/cli/output.ts';
import { counted } from '../../../src/mcp/text.ts';
import type { Comparison } from '../compare.ts';
import type { Evaluation } from '../evaluation.ts';
import type { Miss } from '../misses.ts';
import { calibrationLine, evaluationTable, noMatchLine, percent, severalLine } from '../table.ts';

/** The measure that limits are about. */
export const HIT1 = 'Hit@1';
/** Missed queries that are printed; the JSON has all. */
const PRINTED = 20;

interface Report {
  readonly evaluation: Evaluation;
  /** BM25 on names and descriptions, on the same queries. */
  readonly cards: Evaluation;
  readonly missed: readonly Miss[];
  readonly change: Comparison | null;
}

export function showEvaluation({ evaluation, cards, missed, change }: Report): void {
  const lines = [...severalLine(evaluation), ...noMatchLine(evaluation), ...calibrationLine(evaluation)];
  print(
    [evaluationTable([evaluation, cards], { groups: true }), ...lines.map((line) => `${line}\n`)].join(''),
  );
  if (missed.length > 0) showMissed(missed);
  if (change !== null) showChange(change);
}

function showMissed(missed: readonly Miss[]): void {
  print(`${counted(missed.length, 'query', 'queries')} whose first hit is not the wanted skill:`);
  for (const { query, text, wanted, rank, winner } of missed.slice(0, PRINTED)) {
    print(`  ${colours.bold(query)}  ${clip(text, width() - query.length - 4)}`);
    const where = rank === null ? 'not found' : `rank ${rank}`;
    print(`    wanted ${wanted.join(', ')} (${where}), first ${winner ?? 'nothing'}`);
  }
  if (missed.length > PRINTED) print(colours.dim(`  and ${missed.length - PRINTED} more; --json has all`));
  print('skillgate why "QUERY" SKILL says what the wanted skill lacks.');
}

function showChange({ baseline, contender, pValue, differences }: Comparison): void {
  const won = differences.filter(({ difference }) => difference > 0);
  const lost = differences.filter(({ difference }) => difference < 0);
  print(
    `Hit@1 ${percent(baseline.mean)} → ${percent(contender.mean)} against the baseline, p ${pValue.toFixed(3)}: ${won.length} won, ${lost.length} lost.`,
  );
  for (const { query, text } of lost)
    print(`  lost ${colours.bold(query)}  ${clip(text, width() - query.length - 9)}`);
}
