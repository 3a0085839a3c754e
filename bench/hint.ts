/**
 * `npm run bench -- hint`: from which fit should a prompt hook speak? For each threshold: the share of people's requests that
 * it speaks for, how often the skills that it names are useful, and how often it speaks for prompts that nothing fits.
 */

import type { Dataset } from '../extensions/eval/dataset.ts';
import { HINT_SKILLS, hintFit, parseQuery } from '../src/mcp/prompt-lines.ts';
import { openEmbedder } from '../src/search/embedding/open.ts';
import { search } from '../src/search/search.ts';
import { FITS } from '../src/search/verdict.ts';
import { readDatasetFolder } from './evaluation/dataset-folder.ts';
import { mean } from './evaluation/statistics.ts';
import { percent } from './evaluation/table.ts';
import { REPLIES } from './hint-replies.ts';
import { openIndex } from './open-index.ts';
import { FOREIGN, MODELS } from './paths.ts';
import { publish } from './results-file.ts';

interface HintOptions {
  readonly index: string;
  readonly dataset: readonly string[];
  /** The command line for `RESULTS.md`; absent: print only. */
  readonly write?: string;
}

/** A prompt as the hook sees it, and what it would have named. */
export interface Hinted {
  readonly fit: number;
  /** Whether each named skill answers the request, best first; for prompts that nothing fits, of which kind they are. */
  readonly useful: readonly boolean[] | 'foreign' | 'reply';
}

const THRESHOLDS = [0.3, 0.4, 0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9];
/** Of 3: the skill covers the request. An unjudged skill counts as useless. */
const USEFUL_GRADE = 2;
/** Requests that an agent wrote: a hook sees what people write. */
const WRITTEN_BY_AGENTS = 'agent';

export async function measureHint(options: HintOptions): Promise<void> {
  const embedder = await openEmbedder(undefined, { modelsFolder: MODELS });
  const reader = openIndex(options.index, embedder);
  const index = { reader, embedder, now: () => performance.now() };
  /** 1 for each named skill that no one has judged, 0 for the others. */
  const holes: number[] = [];
  const hinted = async (
    text: string,
    grades: ReadonlyMap<string, number> | 'foreign' | 'reply',
  ): Promise<Hinted> => {
    const query = parseQuery(text);
    if (query === null) return { fit: 0, useful: typeof grades === 'string' ? grades : [] };
    const { fit: judged, hits } = await search({ query, limit: HINT_SKILLS }, index);
    const fit = judged !== null && judged >= hintFit(query, 0) ? judged : 0;
    if (typeof grades === 'string') return { fit, useful: grades };
    holes.push(...hits.map(({ entry }) => Number(!grades.has(entry.id))));
    return { fit, useful: hits.map(({ entry }) => (grades.get(entry.id) ?? 0) >= USEFUL_GRADE) };
  };
  const all: Hinted[] = [];
  const datasets: Dataset[] = [];
  for (const folder of options.dataset) datasets.push(await readDatasetFolder(folder));
  for (const { queries, qrels } of datasets)
    for (const { id, text, style } of queries) {
      const grades = qrels.get(id);
      if (style !== WRITTEN_BY_AGENTS && grades !== undefined) all.push(await hinted(text, grades));
    }
  for (const { text } of (await readDatasetFolder(FOREIGN)).queries) all.push(await hinted(text, 'foreign'));
  for (const text of REPLIES) all.push(await hinted(text, 'reply'));
  const skills = reader.documents;
  reader.close();
  const names = datasets.map(({ name }) => name).join(' and ');
  const unjudged = mean(holes);
  await publish(
    {
      name: 'hint',
      title: 'Prompt hook',
      figures: hintTable(all),
      conditions: `${skills} skills; the requests of ${names} that people wrote, the requests of foreign, which nothing fits, and replies in a conversation (\`bench/hint-replies.ts\`). Useful: graded ${USEFUL_GRADE} or 3; an unjudged skill counts as useless (${percent(unjudged)} % of those named). The hook speaks from ${FITS}.`,
    },
    options.write,
  );
}

/** A line a threshold. */
export function hintTable(all: readonly Hinted[]): string {
  const asked = all.flatMap(({ fit, useful }) => (typeof useful === 'string' ? [] : [{ fit, useful }]));
  const foreign = all.filter(({ useful }) => useful === 'foreign');
  const replies = all.filter(({ useful }) => useful === 'reply');
  const head = [
    'fit from',
    'speaks',
    'first useful',
    'one of 3 useful',
    'speaks, foreign',
    'speaks, replies',
  ];
  const rows = THRESHOLDS.map((threshold) => {
    const spoken = asked.filter(({ fit }) => fit >= threshold);
    const share = (count: number, of: number) => (of === 0 ? '–' : percent(count / of));
    return [
      threshold.toFixed(2),
      share(spoken.length, asked.length),
      share(spoken.filter(({ useful }) => useful[0] === true).length, spoken.length),
      share(spoken.filter(({ useful }) => useful.includes(true)).length, spoken.length),
      share(foreign.filter(({ fit }) => fit >= threshold).length, foreign.length),
      share(replies.filter(({ fit }) => fit >= threshold).length, replies.length),
    ];
  });
  const lines = [head, ...rows].map((cells) =>
    cells.map((cell, at) => cell.padStart(head[at]!.length)).join('  '),
  );
  return [
    `${asked.length} requests, ${foreign.length} foreign ones, ${replies.length} replies; in %`,
    '',
    ...lines,
  ].join('\n');
}
