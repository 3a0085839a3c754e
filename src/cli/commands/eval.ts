/** `skillgate eval`: measures retrieval on labelled queries, or writes a template for such a set. */

import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import type { Reader } from '#index';
import type { CommonOptions } from '../../app/public.ts';
import {
  asSystem,
  calibrationLine,
  EvaluationError,
  evaluate as evaluateSystem,
  evaluationTable,
  makeTemplate,
  missingDocuments,
  noMatchLine,
  readDataset,
  renamed,
  severalLine,
  trecRun,
} from '../../evaluation/public.ts';
import { counted } from '../../mcp/public.ts';
import { entryAt } from '../../search/public.ts';
import { CliError } from '../exit-codes.ts';
import { print, printReport, say } from '../output.ts';
import { withGateway } from './with-gateway.ts';

/** Ranks requested: the deepest cut-off of the standard measures. */
const DEPTH = 10;

export interface EvalOptions extends CommonOptions {
  readonly queries?: string;
  readonly qrels?: string;
  readonly run?: string;
  readonly makeQueries?: string;
}

export async function evaluate(options: EvalOptions): Promise<void> {
  if (options.makeQueries !== undefined) return makeQueries(options, options.makeQueries);
  const { queries, qrels } = options;
  if (queries === undefined || qrels === undefined)
    throw new CliError(
      'USAGE',
      'eval needs --queries FILE and --qrels FILE, or --make-queries DIR to start a set.',
    );
  const read = await readDataset({ name: basename(dirname(resolve(queries))), queries, qrels }).catch(
    (error: unknown) => {
      if (error instanceof EvaluationError) throw new CliError('USAGE', error.message, { cause: error });
      throw error;
    },
  );
  await withGateway(options, async (gateway, library) => {
    const { reader } = await library.current();
    const dataset = renamed(read, (name) => idOf(reader, name) ?? name);
    const missing = missingDocuments(dataset, (id) => idOf(reader, id) !== null);
    const { notes } = dataset;
    for (const note of notes) say(note);
    if (missing.length > 0)
      say(
        `${counted(missing.length, 'judged skill')} not found, such as ${missing.slice(0, 3).join(', ')}: not in this catalog, or a name that several skills have. Use ids. The measures count them as never found.`,
      );
    const system = { name: 'skillgate', ...asSystem((request) => gateway.search(request)) };
    const evaluation = await evaluateSystem(system, dataset, { depth: DEPTH });
    if (options.run !== undefined) writeFileSync(options.run, trecRun(evaluation));
    if (options.json === true) printReport({ ...evaluation, notes, missing });
    else
      print(
        [
          evaluationTable([evaluation], { groups: true }),
          ...[...severalLine(evaluation), ...noMatchLine(evaluation), ...calibrationLine(evaluation)].map(
            (line) => `${line}\n`,
          ),
        ].join(''),
      );
  });
}

/** The id of the skill with this id, URI or name; null where none has it, or several have the name. */
function idOf(reader: Reader, name: string): string | null {
  const entries = reader.resolve(name).map((ordinal) => entryAt(reader, ordinal));
  const exact = entries.find(({ id, uri }) => id === name || uri === name);
  return (exact ?? (entries.length === 1 ? entries[0] : undefined))?.id ?? null;
}

async function makeQueries(options: EvalOptions, folder: string): Promise<void> {
  if (existsSync(join(folder, 'queries.jsonl')))
    throw new CliError(
      'USAGE',
      `${folder} already holds queries.jsonl, and nothing was written. Choose another folder.`,
    );
  const template = await withGateway(options, async (_gateway, library) => {
    const { reader } = await library.current();
    const skills = Array.from(reader.ordinalsByKey(), (ordinal) => {
      const { id, name, description } = entryAt(reader, ordinal);
      return { id, name, description, headings: reader.passages.headings(ordinal) };
    });
    return makeTemplate(skills);
  });
  mkdirSync(folder, { recursive: true });
  for (const [name, content] of Object.entries(template)) writeFileSync(join(folder, name), content);
  print(
    `Wrote ${Object.keys(template).join(', ')} to ${folder}. Fill in the queries, then run eval with both files.`,
  );
}
