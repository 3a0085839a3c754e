/**
 * `npm run bench -- readme`: the tables of figures in the README and below `docs/`, and the picture of choices, made from
 * `RESULTS.md`. A test fails where they differ from it.
 */

import { readFile, writeFile } from 'node:fs/promises';
import { here } from './paths.ts';
import { type ChoicePoint, drawChoices } from './plots/choices.ts';

/** The pages with tables between `<!-- begin: NAME -->` and `<!-- end: NAME -->`. */
export const PAGES = [here('../README.md'), here('../docs/performance.md')];

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
    rivals: rivalsTable(results),
    tokens: tokensTable(results),
    published: publishedTable(results),
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
  await writeFile(here('figures/choices.svg'), await drawChoices(readChoices(results)));
}

function qualityTable(results: string): string {
  const quality = readQuality(results);
  const rows = SYSTEMS.map(([title, ...names]) => {
    const cells = quality(names).map((figures) =>
      figures === null ? '–' : `${figures['Hit@1']} / ${figures['nDCG@10']}`,
    );
    if (cells.every((cell) => cell === '–')) throw new Error(`bench/RESULTS.md has no figures of ${title}.`);
    return title === 'skillgate' ? [title, ...cells].map((cell) => `**${cell}**`) : [title, ...cells];
  });
  return markdown([['Hit@1 / nDCG@10', ...COLLECTIONS.map(({ title }) => title)], ...rows]);
}

type Figures = Readonly<Record<string, string>>;

/** Names of a system → its figures in each collection, null where it was not measured. */
function readQuality(results: string): (names: readonly string[]) => (Figures | null)[] {
  const collections = COLLECTIONS.map((collection) => ({
    part: null,
    ...collection,
    rows: rowsOf(sectionOf(results, collection.section), 'Hit@1'),
  }));
  return (names) =>
    collections.map(({ rows, part }) => {
      const at = rows.findIndex(({ name }) => names.includes(name));
      if (at === -1) return null;
      const row = part === null ? rows[at] : rows.slice(at + 1).find(({ name }) => name === part);
      return row?.figures ?? null;
    });
}

/** Rows of the README: what readers may use instead, its names in the tables of quality, and in those of speed. */
const RIVALS: readonly {
  readonly title: string;
  readonly quality?: readonly string[];
  readonly speed?: string;
  /** Default: 25,001. */
  readonly skills?: number;
}[] = [
  { title: '**skillgate**', quality: ['skillgate', 'hybrid'], speed: 'skillgate, all passages' },
  { title: 'BM25 on name and description, as in most skill servers', quality: ['bm25-card'] },
  {
    title: 'embedding of the description',
    quality: ['dense-card'],
    speed: 'float32 scan, one vector a skill',
  },
  { title: 'MiniSearch', quality: ['minisearch-card'], speed: 'MiniSearch, cards' },
  { title: 'SQLite FTS5', speed: 'SQLite FTS5, cards' },
  { title: 'LanceDB, hybrid', speed: 'LanceDB, hybrid (RRF)' },
  { title: 'Fuse.js', speed: 'Fuse.js, cards', skills: 1_001 },
  { title: 'Ratel, SkillPort, mcpproxy-go, `skills` CLI' },
];

const NOT_MEASURED = 'not measured';

function rivalsTable(results: string): string {
  const quality = readQuality(results);
  const rows = RIVALS.map((rival) => [rival.title, firstHits(rival), searchTime(rival)]);
  return markdown([['', 'right skill first, %', 'median search'], ...boldBest(rows)]);

  function firstHits({ quality: names }: (typeof RIVALS)[number]): string {
    if (names === undefined) return NOT_MEASURED;
    return quality(names)
      .map((figures) => figures?.['Hit@1'] ?? '–')
      .join(' / ');
  }

  function searchTime({ title, speed, skills = 25_001 }: (typeof RIVALS)[number]): string {
    if (speed === undefined) return NOT_MEASURED;
    const section = sectionOf(results, 'speed');
    const rows = rowsOf(section.slice(section.indexOf(`\n${skills} skills`)), 'p50 ms');
    const row = rows.find(({ name }) => name === speed);
    if (row === undefined) throw new Error(`bench/RESULTS.md has no search time of ${title}.`);
    return `${row.figures['p50 ms']} ms${skills === 25_001 ? '' : ` (${grouped(String(skills - 1))} skills)`}`;
  }
}

/** Marks the first row where all its figures lead; cells of several figures are compared one by one. */
function boldBest(rows: readonly (readonly string[])[]): (readonly string[])[] {
  const [first = [], ...others] = rows;
  const numbers = (cell = '') => cell.split(' / ').map((figure) => Number.parseFloat(figure));
  const leads = (column: number, isBetter: (own: number, other: number) => boolean) =>
    numbers(first[column]).every((own, part) =>
      others.every((row) => {
        const other = numbers(row[column])[part] ?? Number.NaN;
        return Number.isNaN(other) || isBetter(own, other);
      }),
    );
  const isBest = [false, leads(1, (own, other) => own > other), leads(2, (own, other) => own < other)];
  return [first.map((cell, column) => (isBest[column] ? `**${cell}**` : cell)), ...others];
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
      ...leader(`${best} ${figuresOf(best)}`, figuresOf('skillgate')),
    ];
  });
  return markdown([['published set', 'best BM25', 'published by others', 'skillgate'], ...rows]);
}

/** The better one of two cells in bold, by the last figures of both. */
function leader(published: string, ours: string): readonly [string, string] {
  const figure = (cell: string) => Number(/[\d.]+$/.exec(cell)?.[0]);
  return figure(ours) > figure(published) ? [published, `**${ours}**`] : [`**${published}**`, ours];
}

/** What a model loaded, by the way that skills were shown. */
export function readChoices(results: string): ChoicePoint[] {
  const rows = rowsOf(sectionOf(results, 'choices'), 'right');
  const number = (text = '') => Number(text.replaceAll(',', ''));
  return rows.map(({ name, figures }) => ({
    size: number(name),
    way: figures.way!,
    right: number(figures.right),
    tokens: number(figures['tokens before']) + number(figures['to search']),
  }));
}

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
