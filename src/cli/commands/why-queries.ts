/** `skillgate why --queries`: one description for a whole set of requests, and what it gains and loses on the set. */

import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { type CommonOptions, policyOf } from '../../app/public.ts';
import { messageOf } from '../../errors/public.ts';
import { EvaluationError, readDataset, targets } from '../../evaluation/public.ts';
import { viewFor } from '../../gateway/public.ts';
import { type AskedRequest, type Proposal, propose } from '../../insights/public.ts';
import { counted } from '../../mcp/public.ts';
import { LOCAL } from '../../policy/public.ts';
import { CliError } from '../exit-codes.ts';
import { clip, colours, print, printReport, width } from '../output.ts';
import { sayRulesForEverybody, withLibrary } from './with-gateway.ts';

export interface WhyQueriesOptions extends CommonOptions {
  /** `queries.jsonl`, or a text with one request a line. */
  readonly queries: string;
  readonly qrels?: string;
}

export async function whyQueries(skill: string, options: WhyQueriesOptions): Promise<void> {
  const asked = await requestsOf(options);
  const proposal = await withLibrary(options, async (library, { config }) => {
    sayRulesForEverybody(config);
    const index = await viewFor(library, policyOf(config).grantsOf(LOCAL)).current();
    const { reader } = index;
    const found = reader.resolve(skill);
    const [ordinal] = found;
    if (ordinal === undefined) throw new CliError('NOT_FOUND', `There is no skill "${skill}".`);
    if (found.length > 1)
      throw new CliError('NOT_FOUND', `${found.length} skills are called "${skill}". Ask again with an id.`);
    const requests = asked.map(({ text, wanted }): AskedRequest => {
      const ordinals = wanted.flatMap((name) => [...reader.resolve(name)]);
      return { text, wanted: ordinals };
    });
    return propose({ requests, ordinal, accept: reader.accept([]) }, index);
  });
  if (options.json === true) printReport(proposal);
  else show(proposal);
}

/** Each request with the skills that should answer it; none means the skill itself. */
export async function requestsOf({
  queries,
  qrels,
}: Pick<WhyQueriesOptions, 'queries' | 'qrels'>): Promise<{ text: string; wanted: readonly string[] }[]> {
  if (qrels !== undefined) {
    const dataset = await readDataset({ name: basename(queries), queries, qrels }).catch((error: unknown) => {
      if (error instanceof EvaluationError) throw new CliError('USAGE', error.message, { cause: error });
      throw error;
    });
    return dataset.queries.flatMap(({ id, text }) => {
      const wanted = [...targets(dataset.qrels.get(id) ?? new Map())];
      return wanted.length === 0 ? [] : [{ text, wanted }];
    });
  }
  const text = await readFile(queries, 'utf8').catch((cause: unknown) => {
    throw new CliError('USAGE', `Cannot read ${queries}: ${messageOf(cause)}`, { cause });
  });
  const requests = text.split(/\r?\n/).flatMap((line) => {
    const request = /^\s*\{/.test(line) ? textIn(line) : line;
    return request.trim() === '' ? [] : [{ text: request.trim(), wanted: [] }];
  });
  if (requests.length === 0) throw new CliError('USAGE', `${queries} has no requests: write one a line.`);
  return requests;
}

function textIn(line: string): string {
  try {
    const row: unknown = JSON.parse(line);
    return typeof row === 'object' && row !== null && 'text' in row && typeof row.text === 'string'
      ? row.text
      : '';
  } catch {
    return line;
  }
}

function show({ id, description, added, effects }: Proposal): void {
  const own = effects.filter(({ isOwn }) => isOwn);
  const first = (of: 'before' | 'after') => own.filter((effect) => effect[of] === 1).length;
  print(`${colours.bold(id)}: first for ${first('before')} of ${counted(own.length, 'request')}.`);
  if (added.length === 0) {
    print(
      'No sentence from its own text or from the requests puts it further ahead without taking requests of other skills.',
    );
  } else {
    print('Proposed description, with the added sentences last:');
    print(`  ${description.slice(0, description.length - added.join(' ').length).trim()}`);
    for (const sentence of added) print(`  ${colours.green(`+ ${sentence}`)}`);
    print(
      `First for ${first('after')} of ${own.length} with it. Change the wording where it is not yours, and ask again.`,
    );
  }
  for (const { request, isOwn, before, after, takes } of effects) {
    const change = before === after ? `rank ${after}` : `rank ${before} → ${after}`;
    const colour =
      after < before && isOwn ? colours.green : after > before && isOwn ? colours.yellow : colours.dim;
    const note = takes
      ? colours.yellow('  takes this from the skill that it is for')
      : isOwn
        ? ''
        : colours.dim('  for another skill');
    print(`  ${colour(change.padEnd(14))} ${clip(request, width() - 18)}${note}`);
  }
}
