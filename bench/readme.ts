/**
 * `npm run bench -- readme`: the tables of figures in the README and below `docs/`, made from `RESULTS.md`. A test fails where they
 * differ from it.
 */

import { readFile, writeFile } from 'node:fs/promises';
import { here } from './paths.ts';

/** The pages with tables between `<!-- begin: NAME -->` and `<!-- end: NAME -->`. */
export const PAGES = [here('../README.md'), here('../docs/performance.md'), here('../docs/benchmarks.md')];

/** A column: a section of `RESULTS.md`, and the line below a system's that counts there. */
const COLLECTIONS = [
  { title: 'agent', section: 'agent' },
  { title: 'dev', section: 'quality-dev' },
  { title: 'skill-evals', section: 'quality-skill-evals', part: 'does not name it' },
] as const;

/** A row: what readers call a system, and the names that the sections have for it. */
const SYSTEMS: readonly (readonly [string, ...string[]])[] = [
  ['MiniSearch on name and description', 'minisearch-card'],
  ['embedding of the description (the common semantic router)', 'dense-card'],
  ['BM25 on name and description (most skill servers)', 'bm25-card'],
  ['our words alone (BM25F over name, description, body, references)', 'bm25f'],
  ['our vectors alone', 'vectors', 'dense-exact'],
  ['reciprocal rank fusion of our words and vectors', 'rrf-60'],
  ['skillgate', 'skillgate', 'hybrid'],
];

/** Page → the page with its tables made anew. Throws where `results` lacks a section or a figure. */
export function withTables(page: string, results: string): string {
  const tables = {
    quality: qualityTable(results),
    tokens: tokensTable(results),
    published: publishedTable(results),
    'published-sets': publishedTables(results),
    hosts: hostsTable(results),
  };
  return Object.entries(tables).reduce((text, [name, table]) => {
    const [begin, end] = [`<!-- begin: ${name} -->\n`, `<!-- end: ${name} -->`];
    const [from, to] = [text.indexOf(begin), text.indexOf(end)];
    return from === -1 || to < from
      ? text
      : `${text.slice(0, from + begin.length)}\n${table}\n${text.slice(to)}`;
  }, page);
}

export async function writeTables(): Promise<void> {
  const results = await readFile(here('RESULTS.md'), 'utf8');
  for (const page of PAGES) await writeFile(page, withTables(await readFile(page, 'utf8'), results));
}

function qualityTable(results: string): string {
  const collections = COLLECTIONS.map((collection) => ({
    part: null,
    ...collection,
    figures: rowsOf(sectionOf(results, collection.section), 'Hit@1'),
  }));
  const rows = SYSTEMS.map(([title, ...names]) => {
    const cells = collections.map(({ figures, part }) => {
      const at = figures.findIndex(({ name }) => names.includes(name));
      const own = part === null ? figures[at] : figures.slice(at + 1).find(({ name }) => name === part);
      return at === -1 || own === undefined ? '–' : `${own.figures['Hit@1']} / ${own.figures['nDCG@10']}`;
    });
    if (cells.every((cell) => cell === '–')) throw new Error(`bench/RESULTS.md has no figures of ${title}.`);
    return title === 'skillgate' ? [title, ...cells].map((cell) => `**${cell}**`) : [title, ...cells];
  });
  return markdown([['Hit@1 / nDCG@10', ...COLLECTIONS.map(({ title }) => title)], ...rows]);
}

function tokensTable(results: string): string {
  const section = sectionOf(results, 'agent');
  const answers = rowsOf(section, 'median');
  const row = (title: string, name: string) => {
    const figures = answers.find((answer) => answer.name === name)?.figures;
    if (figures === undefined) throw new Error(`bench/RESULTS.md has no tokens of "${name}".`);
    return [title, figures.median!, figures.most!];
  };
  const [, full, short] = /tools\/list: (\d+) tokens with output schemas, (\d+) without/.exec(section) ?? [];
  if (full === undefined || short === undefined)
    throw new Error('bench/RESULTS.md has no tokens of tools/list.');
  return markdown([
    ['tokens', 'median', 'most'],
    row('a search answer, as text', 'answer, text'),
    row('a search answer, structured', 'answer, structured'),
    row('an answer that nothing fits, structured', 'weak answer, structured'),
    ['the list of tools, with output schemas', grouped(full), ''],
    ['the list of tools with `--answers text`', grouped(short), ''],
  ]);
}

/** A row of the README: a published set, its measures, and the row of others to compare with. */
const PUBLISHED = [
  { title: 'ToolLens', set: 'toollens', measures: ['Recall@5', 'nDCG@5'], best: 'Contriever' },
  {
    title: 'MetaTool',
    set: 'metatool-single',
    measures: ['Recall@1', 'Recall@5'],
    best: 'Vertex AI embeddings',
  },
  { title: 'Gorilla-HF', set: 'toolret-gorilla', measures: ['nDCG@10'], best: 'MFTR, trained' },
  { title: 'APIBank', set: 'toolret-apibank', measures: ['nDCG@10'], best: 'MFTR, trained' },
] as const;

function publishedTable(results: string): string {
  const blocks = publishedBlocks(results);
  const rows = PUBLISHED.map(({ title, set, measures, best }) => {
    const rows = rowsOf(blocks.get(set) ?? '', measures[0]);
    // Of several rows, the one that is best by the first measure.
    const figuresOf = (...names: readonly string[]) => {
      const [best] = rows
        .filter(({ name }) => names.some((start) => name.startsWith(start)))
        .sort((a, b) => Number(b.figures[measures[0]]) - Number(a.figures[measures[0]]));
      if (best === undefined) throw new Error(`bench/RESULTS.md has no figures of ${names[0]} on ${set}.`);
      return measures.map((measure) => Number(best.figures[measure]).toFixed(1)).join(' / ');
    };
    return [
      `${title}: ${measures.join(' / ').replaceAll('Recall', 'R')}`,
      figuresOf('BM25', 'plain BM25'),
      `${best} ${figuresOf(best)}`,
      `**${figuresOf('skillgate')}**`,
    ];
  });
  return markdown([['published set', 'best BM25', 'published by others', 'skillgate'], ...rows]);
}

function publishedTables(results: string): string {
  return [...publishedBlocks(results).values()]
    .map((block) => {
      const [head = '', ...lines] = block.split('\n').map((line) => line.trim().split(/ {2,}/));
      const [title = '', ...measures] = head;
      const source = block.split('\n').at(-1);
      return `### ${title}\n\n${markdown([['per cent', ...measures], ...lines.slice(0, -1)])}\n${source}\n`;
    })
    .join('\n');
}

const hostsTable = (results: string): string =>
  markdown(
    sectionOf(results, 'hosts')
      .split('```')[1]!
      .trim()
      .split('\n')
      .slice(1)
      .map((line) => line.trim().split(/ {2,}/)),
  );

/** The table of each published set, by the set's name. */
const publishedBlocks = (results: string): ReadonlyMap<string, string> =>
  new Map(
    sectionOf(results, 'published')
      .split('```')[1]!
      .replace('text\n', '')
      .trim()
      .split('\n\n')
      .map((block) => [block.slice(0, block.indexOf(':')), block]),
  );

/** What a command wrote. */
function sectionOf(results: string, name: string): string {
  const from = results.indexOf(`<!-- begin: ${name} -->`);
  const to = results.indexOf(`<!-- end: ${name} -->`, from);
  if (from === -1 || to === -1) throw new Error(`bench/RESULTS.md has no section "${name}".`);
  return results.slice(from, to);
}

/** The lines of the first table that has this column. Columns stand two spaces apart. */
function rowsOf(section: string, column: string): { name: string; figures: Record<string, string> }[] {
  const lines = section.split('\n').map((line) => line.trim().split(/ {2,}/));
  const at = lines.findIndex((cells) => cells.includes(column));
  const [, ...columns] = lines[at] ?? [];
  const rows = lines.slice(at + 1);
  const end = rows.findIndex((cells) => cells.length < 2);
  return rows.slice(0, end === -1 ? rows.length : end).map(([name = '', ...cells]) => ({
    name,
    figures: Object.fromEntries(columns.map((title, index) => [title, cells[index] ?? ''])),
  }));
}

const grouped = (number: string) => Number(number).toLocaleString('en-US');

const markdown = ([head = [], ...rows]: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows]
    .map((cells) => `| ${cells.join(' | ')} |\n`)
    .join('')
    .replaceAll('|  |', '| |');
