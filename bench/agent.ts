/**
 * `npm run bench -- agent`: search as agents use it, in three stages. A writer (a model, or its recorded queries) turns a
 * person's request into a query; the query is searched, next to the request itself and to keywords, by the product and by other
 * systems; a chooser (a model, or its recorded choices) reads the answer of the built server and loads a skill, searches again
 * or goes on without one.
 */

import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import type { Dataset } from '../extensions/eval/dataset.ts';
import { openEmbedder } from '../src/search/embedding/open.ts';
import { fingerprint, searchTool, show } from './agent/answers.ts';
import { type Recorded, recording, replay } from './agent/choices.ts';
import { type Asked, loopTable, runLoop } from './agent/loop.ts';
import { chooserAt, type Endpoint, writerAt } from './agent/model.ts';
import { ranksTable, systemsOver } from './agent/ranks.ts';
import { readDatasetFolder } from './evaluation/dataset-folder.ts';
import { evaluate } from './evaluation/evaluate.ts';
import type { Evaluation } from './evaluation/evaluation.ts';
import { readLines } from './json-lines.ts';
import { openIndex } from './open-index.ts';
import { here, MODELS } from './paths.ts';
import { publish } from './results-file.ts';
import { answerTokens, tokensTable, toolTokens, withClient } from './tokens.ts';

interface AgentOptions {
  readonly index: string;
  readonly dataset: string;
  /** Folders of the index, for the server. */
  readonly skills: readonly string[];
  readonly program?: string;
  /** File of recorded choices. */
  readonly choices: string;
  /** Endpoints of models that choose and write instead of the recorded ones. */
  readonly chooser?: string;
  readonly writer?: string;
  readonly model: string;
  /** File for the choices of `chooser`. */
  readonly record?: string;
  /** The command line for `RESULTS.md`; absent: print only. */
  readonly write?: string;
}

/** Keywords of people in a hurry, for the same requests. */
const HURRIED = here('datasets/hurried/queries.jsonl');

const row = z.object({
  _id: z.string(),
  text: z.string(),
  request: z.string(),
  style: z.string().optional(),
});

export async function measureAgent(options: AgentOptions): Promise<void> {
  const dataset = await readDatasetFolder(options.dataset);
  const recorded = (await linesOf(join(options.dataset, 'queries.jsonl'))).map(({ _id, ...rest }) => ({
    id: _id,
    ...rest,
  }));
  const program = options.program ?? here('../dist/skillgate.cjs');
  const folders = options.skills.flatMap((folder) => ['--skills', folder]);
  const serve = [program, 'serve', ...folders, '--index', options.index];
  const stages = await withClient([...serve, '--answers', 'both'], async (client) => {
    const tool = await searchTool(client);
    const asked = options.writer === undefined ? recorded : await written(recorded, tool, options);
    const rows: Recorded[] = [];
    const choose =
      options.chooser === undefined
        ? await replay(options.choices)
        : recording(chooserAt(endpoint(options.chooser, options.model)), rows);
    const outcomes = await runLoop(asked, (query) => show(client, query), choose);
    if (options.record !== undefined)
      await writeFile(options.record, rows.map((each) => `${JSON.stringify(each)}\n`).join(''));
    const answers = [];
    const others = await requestsIn(join(options.dataset, 'other-languages.jsonl'));
    for (const text of [...asked.map((query) => query.text), ...others])
      answers.push(await answerTokens(client, text));
    const tools = { both: await toolTokens(client), tool: fingerprint(JSON.stringify(tool)) };
    return { asked, outcomes, answers, tools };
  });
  const text = await withClient([...serve, '--answers', 'text'], toolTokens);
  const { asked, outcomes, answers, tools } = stages;
  const figures = [
    await ranks(options.index, dataset, asked),
    loopTable(outcomes, dataset),
    tokensTable({ answers, tools: { both: tools.both, text } }),
    `the tool's text: ${tools.tool}`,
  ].join('\n');
  await publish({ name: 'agent', title: 'Queries that agents write', figures }, options.write);
}

/** The first stage: ranks of the written queries, of the requests and of keywords. */
async function ranks(index: string, dataset: Dataset, asked: readonly Asked[]): Promise<string> {
  const keywords = new Map((await keywordsOf(HURRIED)).map(({ _id, text }) => [_id, text]));
  const texts: readonly [title: string, textOf: (query: Asked) => string | undefined][] = [
    ['queries that a model wrote', ({ text }) => text],
    ['raw requests', ({ request }) => request],
    ['hurried: two to four keywords', ({ id }) => keywords.get(id)],
  ];
  const embedder = await openEmbedder(undefined, { modelsFolder: MODELS });
  const reader = openIndex(index, embedder);
  const systems = await systemsOver(reader, embedder);
  const tables: string[] = [];
  for (const [title, textOf] of texts) {
    const queries = asked.flatMap((query) => {
      const text = textOf(query);
      if (text === undefined) return [];
      const { id, style } = query;
      return { id, text, ...(style !== undefined && { style }) };
    });
    if (queries.length === 0) continue;
    const evaluations: Evaluation[] = [];
    for (const system of systems) evaluations.push(await evaluate(system, { ...dataset, queries }));
    tables.push(ranksTable(title, evaluations, dataset));
  }
  reader.close();
  return tables.join('\n');
}

async function written(
  recorded: readonly Asked[],
  tool: unknown,
  { writer, model }: AgentOptions,
): Promise<Asked[]> {
  const write = writerAt(endpoint(writer!, model), tool);
  const asked: Asked[] = [];
  for (const query of recorded) asked.push({ ...query, text: await write(query.request) });
  return asked;
}

function endpoint(url: string, model: string): Endpoint {
  const key = process.env.OPENAI_API_KEY;
  return { url, model, ...(key !== undefined && { key }) };
}

/** The requests of a file that not every dataset has: in other languages most answers are weak. */
const requestsIn = async (file: string) =>
  existsSync(file) ? (await readLines(file, row.pick({ request: true }))).map(({ request }) => request) : [];

const linesOf = (file: string) => readLines(file, row);
const keywordsOf = (file: string) => readLines(file, row.omit({ request: true }));
