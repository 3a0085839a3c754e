/** `skillgate search --bundle`: the skills that a task with several parts needs, and the part that each one covers. */

import type { CommonOptions } from '../../app/public.ts';
import type { BundleAnswer } from '../../insights/public.ts';
import { counted, foreignHint, wholeResults } from '../../mcp/public.ts';
import type { Filter } from '../../search/public.ts';
import { CliError, EXIT } from '../exit-codes.ts';
import { clip, colours, print, printJson, say, width } from '../output.ts';
import { askGateway } from './with-gateway.ts';

const INDENT = '    ';

/** The options of a search that a bundle takes or has to refuse. */
export interface BundleOptions extends CommonOptions {
  readonly top: number;
  readonly maxTokens?: number;
  readonly cursor?: string;
  readonly explain?: boolean;
  readonly fresh?: boolean;
}

export async function searchBundle(query: string, filter: Filter, options: BundleOptions): Promise<void> {
  if (options.cursor !== undefined || options.explain === true)
    throw new CliError(
      'USAGE',
      '--bundle cannot be combined with --cursor or --explain: a bundle has no pages and no runner-up.',
    );
  const request = {
    query,
    limit: options.top,
    ...(options.maxTokens === undefined ? {} : { maxTokens: options.maxTokens }),
    ...(Object.keys(filter).length === 0 ? {} : { filter }),
  };
  const answer = await askGateway(
    options,
    (gateway) => gateway.bundle(request),
    ({ members }) => members.map(({ entry }) => entry),
  );
  if (answer.members.length === 0) process.exitCode = EXIT.notFound;
  if (options.json === true) printJson(wholeResults.bundle(answer, Object.keys(filter).length > 1));
  else show(answer);
}

function show({ retrieval, members, parts, tokens, maxTokens, tooLarge, weak, foreign }: BundleAnswer): void {
  if (retrieval.note !== undefined) say(colours.yellow(retrieval.note));
  if (members.length === 0) say('No skill was found.');
  else if (foreign !== undefined) print(colours.yellow(foreignHint(foreign)));
  else if (weak) print(colours.yellow('No skill seems to fit; these are the nearest:'));
  for (const { rank, entry, score, covers, tokens: own } of members) {
    print(
      `${String(rank).padStart(2)}. ${colours.bold(entry.id)}  ${colours.dim(`${score.toFixed(3)} · ${counted(own, 'token')}`)}`,
    );
    print(`${INDENT}${clip(entry.description, width() - INDENT.length)}`);
    if (covers.length === 0)
      print(`${INDENT}${colours.green('for words of the task that the other skills lack')}`);
    for (const part of covers) {
      const { text, weak: unsure } = parts[part]!;
      const perhaps = unsure ? 'perhaps ' : '';
      print(`${INDENT}${colours.green(clip(`${perhaps}for: ${text}`, width() - INDENT.length))}`);
    }
  }
  for (const { text, coveredBy } of parts)
    if (coveredBy === null) print(colours.yellow(`Not covered: ${clip(text, width() - 13)}`));
  for (const { id, tokens: own } of tooLarge)
    print(colours.yellow(`Left out, over the budget: ${id} (${own} tokens)`));
  say(
    colours.dim(
      `${counted(members.length, 'skill')}, about ${tokens} tokens to load, of at most ${maxTokens}`,
    ),
  );
}
