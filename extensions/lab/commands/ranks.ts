/** `skillgate ranks`: the ranks of a skill for a whole set of requests, and what comes before it. */

import { basename } from 'node:path';
import type { CommonOptions } from '../../../src/app/configured.ts';
import { policyOf } from '../../../src/app/open-policy.ts';
import { type AskedRequest, type RequestRank, ranksOf } from '../../../src/authoring/ranks.ts';
import { requestsIn } from '../../../src/cli/commands/requests.ts';
import { sayRulesForEverybody, withLibrary } from '../../../src/cli/commands/with-gateway.ts';
import { CliError } from '../../../src/cli/exit-codes.ts';
import { clip, colours, print, printReport, width } from '../../../src/cli/output.ts';
import { viewFor } from '../../../src/gateway/gateway-per-grants.ts';
import { LOCAL } from '../../../src/gateway/policy/principal.ts';
import { counted } from '../../../src/mcp/text.ts';
import { readDataset } from '../beir.ts';
import { EvaluationError } from '../dataset.ts';
import { targets } from '../measures/ranking.ts';

/** As wide as `not found`. */
const PLACE_CHARACTERS = 9;

export interface RanksOptions extends CommonOptions {
  /** `queries.jsonl`, or a text with one request a line. */
  readonly queries: string;
  readonly qrels?: string;
}

export async function ranks(skill: string, options: RanksOptions): Promise<void> {
  const asked = await requestsOf(options);
  const report = await withLibrary(options, async (library, { config }) => {
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
    const ranks = await ranksOf({ requests, ordinal, accept: reader.accept([]) }, index);
    return { id: reader.key(ordinal), ranks };
  });
  if (options.json === true) printReport(report);
  else show(report);
}

/** Each request with the skills that should answer it; none means the skill itself. */
async function requestsOf({
  queries,
  qrels,
}: RanksOptions): Promise<{ readonly text: string; readonly wanted: readonly string[] }[]> {
  if (qrels === undefined) return (await requestsIn(queries)).map((text) => ({ text, wanted: [] }));
  const dataset = await readDataset({ name: basename(queries), queries, qrels }).catch((error: unknown) => {
    if (error instanceof EvaluationError) throw new CliError('USAGE', error.message, { cause: error });
    throw error;
  });
  return dataset.queries.flatMap(({ id, text }) => {
    const wanted = [...targets(dataset.qrels.get(id) ?? new Map())];
    return wanted.length === 0 ? [] : [{ text, wanted }];
  });
}

function show({ id, ranks }: { readonly id: string; readonly ranks: readonly RequestRank[] }): void {
  const own = ranks.filter(({ isOwn }) => isOwn);
  const first = own.filter(({ rank }) => rank === 1).length;
  print(`${colours.bold(id)}: first for ${first} of ${counted(own.length, 'request')}.`);
  for (const each of ranks) {
    const { rank, request, isOwn } = each;
    const place = each.reached ? `rank ${rank}` : 'not found';
    const colour = !isOwn ? colours.dim : rank === 1 ? colours.green : colours.yellow;
    const note = noteOn(each, id);
    const room = Math.max(20, width() - PLACE_CHARACTERS - note.length - 5);
    print(
      `  ${colour(place.padEnd(PLACE_CHARACTERS))} ${clip(request, room)}${note && `  ${colours.dim(note)}`}`,
    );
  }
}

function noteOn({ isOwn, takes, first }: RequestRank, id: string): string {
  if (takes) return 'takes this from the skill that it is for';
  if (!isOwn) return 'for another skill';
  return first === id ? '' : `first ${first}`;
}
