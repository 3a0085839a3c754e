/**
 * `npm run bench -- when`: does a model search when it should? Replays what a model chose for each wording of the server's
 * instructions. It needs no model and no index; `datasets/when-to-search/CARD.md` says how the choices were recorded.
 */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import type { CatalogSummary } from '../src/gateway/gateway.ts';
import { writeGuide } from '../src/mcp/instructions.ts';
import { columns } from './evaluation/table.ts';
import { here } from './paths.ts';
import { publish } from './results-file.ts';
import { tokensIn } from './tokens.ts';

interface WhenOptions {
  /** The command line for `RESULTS.md`; absent: print only. */
  readonly write?: string;
}

const KINDS = ['answered', 'own', 'foreign'] as const;
const FOLDER = here('datasets/when-to-search');

const request = z.object({
  _id: z.string(),
  text: z.string(),
  kind: z.enum(KINDS),
  skill: z.string().optional(),
});
const choice = z.object({ wording: z.string(), searched: z.array(z.string()) });
const texts = z.object({
  shipped: z.string(),
  summary: z.looseObject({}),
  wordings: z.array(z.object({ name: z.string(), instructions: z.string(), search: z.string() })),
});

/** The share of the requests of each kind before which a model searched, by wording. */
export function whenTable(): string {
  const requests = linesOf('requests.jsonl').map((line) => request.parse(line));
  const choices = new Map(
    linesOf('choices.jsonl').map((line) => {
      const { wording, searched } = choice.parse(line);
      return [wording, new Set(searched)];
    }),
  );
  const { shipped, summary, wordings } = texts.parse(JSON.parse(read('wordings.json')));
  const rows = wordings.map(({ name, instructions, search }) => {
    const searched = choices.get(name);
    if (searched === undefined) throw new Error(`No one chose with the wording ${name}.`);
    const counts = KINDS.map((kind) => {
      const own = requests.filter((each) => each.kind === kind);
      return `${own.filter(({ _id }) => searched.has(_id)).length} of ${own.length}`;
    });
    return [name, ...counts, String(tokensIn(instructions) + tokensIn(search))];
  });
  // The summary was made by the program, and is kept as it was.
  const now = writeGuide(summary as unknown as CatalogSummary);
  const then = wordings.find(({ name }) => name === shipped);
  const isStale = now.instructions !== then?.instructions || now.search !== then.search;
  const head = ['wording', 'searched: a skill answers', 'needs none', 'no skill fits', 'tokens'];
  return `${columns([head, ...rows], [0])}
shipped: ${shipped}${isStale ? ', but the texts of the program have changed since: record the choices again' : ''}
`;
}

export async function measureWhen({ write }: WhenOptions): Promise<void> {
  await publish(
    {
      name: 'when',
      title: 'When a model searches',
      figures: whenTable(),
      conditions:
        'Recorded choices of one model, not blind (bench/datasets/when-to-search/CARD.md): 30 requests that a skill of the catalog answers, 15 that a model does at once, 15 tasks that no skill is about. Tokens: instructions and description of the search.',
    },
    write,
  );
}

const read = (file: string) => readFileSync(join(FOLDER, file), 'utf8');
const linesOf = (file: string): unknown[] =>
  read(file)
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
