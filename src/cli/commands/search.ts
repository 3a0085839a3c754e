/** `skillgate search`: prints ranked skills with the passages that match. */

import type { CommonOptions } from '../../app/settings.ts';
import { counted, named } from '../../base/text.ts';
import type { Gateway } from '../../gateway/gateway.ts';
import { foreignHint } from '../../mcp/instructions.ts';
import { wholeResult } from '../../mcp/tools/search-answer.ts';
import type { SearchAnswer, SearchHit } from '../../search/answer.ts';
import { verdictOf, verdictWords } from '../../search/verdict.ts';
import { CliError, EXIT } from '../exit-codes.ts';
import { clip, colours, print, printJson, say, width, wrapped } from '../output.ts';
import { FEATURE_TITLES, separationText } from '../scores.ts';
import { withGateway } from './with-gateway.ts';

export interface SearchOptions extends CommonOptions {
  readonly top: number;
  readonly cursor?: string;
  readonly source?: readonly string[];
  readonly tag?: readonly string[];
  readonly hasScripts?: boolean;
  readonly explain?: boolean;
  readonly verbose?: boolean;
}

export async function search(words: readonly string[], options: SearchOptions): Promise<void> {
  const { source, tag, hasScripts } = options;
  const filter = {
    audience: 'people' as const,
    sources: source,
    tags: tag,
    hasScripts,
  };
  const request = {
    query: words.join(' '),
    limit: options.top,
    cursor: options.cursor,
    filter,
    explain: options.explain === true,
  };
  const answer = await withGateway(options, async (gateway) => {
    if (source !== undefined) await requireSources(source, gateway);
    return gateway.search(request);
  });
  if (answer.hits.length === 0) process.exitCode = EXIT.notFound;
  if (options.json === true) printJson(wholeResult(answer, Object.keys(filter).length > 1));
  else showAnswer(answer, options);
}

/** Throws `NOT_FOUND` for a name that no source has. */
async function requireSources(wanted: readonly string[], gateway: Gateway): Promise<void> {
  const names = (await gateway.summary()).sources.map(({ name }) => name);
  const unknown = wanted.find((name) => !names.includes(name));
  if (unknown !== undefined)
    throw new CliError(
      'NOT_FOUND',
      `There is no source ${unknown} with skills. Sources: ${names.join(', ')}.`,
    );
}

/** `verbose` adds how it was searched, and the cursor of the next page. */
export function showAnswer(
  answer: SearchAnswer,
  { verbose = false }: { readonly verbose?: boolean } = {},
): void {
  const { retrieval, searched, tookMs } = answer;
  const how = [
    retrieval.mode,
    retrieval.vectors === 'none' ? '' : `${retrieval.vectors} vectors`,
    retrieval.model ?? '',
  ];
  if (verbose)
    say(
      colours.dim(
        `${how.filter((part) => part !== '').join(' · ')} · ${counted(searched, 'skill')} · ${tookMs.toFixed(1)} ms`,
      ),
    );
  if (retrieval.note !== undefined) say(colours.yellow(retrieval.note));
  if (answer.foreign !== undefined) print(colours.yellow(foreignHint(answer.foreign)));
  if (answer.hits.length === 0) say('No skill was found.');
  else if (answer.fit !== null) print(verdictLine(answer.fit, answer.unknown));
  for (const hit of answer.hits) showHit(hit);
  if (verbose && answer.nextCursor !== undefined) say(colours.dim(`More: --cursor ${answer.nextCursor}`));
}

function verdictLine(fit: number, unknown?: readonly string[]): string {
  const words = verdictWords(fit, unknown);
  switch (verdictOf(fit)) {
    case 'fits':
      return `${words}:`;
    case 'perhaps':
      return colours.yellow(`${words}:`);
    case 'none':
      return colours.yellow(`${words}. Try other words; these are the nearest:`);
  }
}

/** Most characters of a request that a hit shows. */
const ASKED_CHARACTERS = 150;

/** A score is shown with its parts: the number beside the verdict is another one. */
function showHit(hit: SearchHit): void {
  const { rank, entry, score, evidence, asked, twins, copies = [], explanation, lead } = hit;
  const indent = '    ';
  const printWrapped = (text: string) => {
    for (const line of wrapped(text, width() - indent.length)) print(`${indent}${colours.dim(line)}`);
  };
  print(`${String(rank).padStart(2)}. ${colours.bold(named(entry.id))}`);
  print(`${indent}${clip(entry.description, width() - indent.length)}`);
  for (const { path, heading, lines, excerpt, terms } of evidence) {
    const location = clip(`${named(path)}:${lines[0]}-${lines[1]}`, width() - indent.length - 2);
    print(
      `${indent}${colours.cyan(location)} ${clip(heading.join(' › '), width() - location.length - indent.length - 1)}`,
    );
    print(`${indent}  ${colours.dim(clip(excerpt, width() - indent.length - 2))}`);
    if (terms.length > 0)
      print(`${indent}  ${colours.green(clip(terms.join(', '), width() - indent.length - 2))}`);
  }
  if (asked !== undefined) printWrapped(`asked like this: ${clip(asked, ASKED_CHARACTERS)}`);
  if (copies.length > 0)
    print(
      `${indent}${colours.dim(clip(`same content from ${copies.map(({ id, source }) => `${source} (${id})`).join(', ')}`, width() - indent.length))}`,
    );
  if (twins.length > 0)
    print(`${indent}${colours.dim(clip(`also as ${twins.join(', ')}`, width() - indent.length))}`);
  if (explanation !== undefined) {
    const partName = (part: string) =>
      Object.hasOwn(FEATURE_TITLES, part) ? FEATURE_TITLES[part as keyof typeof FEATURE_TITLES] : part;
    const parts = Object.entries(explanation).map(([name, part]) => `${partName(name)} ${part.toFixed(3)}`);
    printWrapped(`${score.toFixed(3)} = ${parts.join(' + ')}`);
  }
  if (lead !== undefined) printWrapped(`before ${named(lead.over)} ${separationText(lead)}`);
}
