/**
 * Where a command puts its figures: the terminal, `bench/RESULTS.md` and JSON files. With
 * `--write` a command replaces its own section of `RESULTS.md`, which is never edited by hand.
 */

import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join } from 'node:path';
import { here } from './paths.ts';

const RESULTS = here('RESULTS.md');

interface Section {
  /** Unique in the file: names the section's marks. */
  readonly name: string;
  readonly title: string;
  /** The plain-text table. */
  readonly figures: string;
  /** What else one needs to repeat the run: options with defaults, and what was drawn at random. */
  readonly conditions?: string;
}

/** Prints the figures. Writes the section as well if `command`, the line that repeats the run, is given. */
export async function publish(section: Section, command: string | undefined): Promise<void> {
  process.stdout.write(`${section.figures.trimEnd()}\n`);
  if (command === undefined) return;
  await writeFile(RESULTS, withSection(await readFile(RESULTS, 'utf8'), section, command));
}

/** `rows` are of one size, their first column, which the section's earlier rows of other sizes surround. */
export async function amongSizes(name: string, rows: readonly string[][]): Promise<string[][]> {
  const isOther = ([size = '']: readonly string[]) => /^\d+$/.test(size) && size !== rows[0]?.[0];
  const all = [...(await readRows(name)).filter(isOther), ...rows];
  return all.sort(([a], [b]) => Number(a) - Number(b));
}

/** Rows of the table that a section of `RESULTS.md` has, without its head; none where there is no such section. */
async function readRows(name: string): Promise<string[][]> {
  const [, section = ''] = (await readFile(RESULTS, 'utf8')).split(`<!-- begin: ${name} -->`);
  const [, table = ''] = section.split('```text\n');
  const lines = table.split('\n```')[0]!.split('\n').slice(1);
  return lines.map((line) => line.trim().split(/ {2,}/));
}

/** `page` with the section replaced, or added at the end where it has none of this name. */
export function withSection(
  page: string,
  { name, title, figures, conditions = '' }: Section,
  command: string,
): string {
  const [begin, end] = [`<!-- begin: ${name} -->`, `<!-- end: ${name} -->`];
  const parts = [
    begin,
    `## ${title}`,
    `\`${command}\``,
    conditions,
    `\`\`\`text\n${figures.trimEnd()}\n\`\`\``,
    end,
  ];
  const section = parts.filter((part) => part !== '').join('\n\n');
  const from = page.indexOf(begin);
  const to = page.indexOf(end, from);
  if (from === -1) return `${page.trimEnd()}\n\n${section}\n`;
  if (to === -1) throw new Error(`bench/RESULTS.md has "${begin}" without "${end}".`);
  return page.slice(0, from) + section + page.slice(to + end.length);
}

/** Options that say where files go or come from on one machine only. */
const LOCAL = ['--out', '--work', '--program', '--against', '--chromium'];

/**
 * The command line to print for the arguments of `bench/run.ts`. A path outside the repository becomes a variable:
 * `$CATALOG`, `$INDEX`, or a path below `$DATA`. Options that only concern this machine are left out.
 */
export function commandLine(args: readonly string[]): string {
  const [first, ...others] = args;
  const [script, rest] = first === 'speed' ? ['bench:speed', others] : ['bench', args];
  const words = rest.flatMap((word) => {
    const option = /^(--[\w-]+)=(.*)$/s.exec(word);
    return option === null ? [word] : [option[1]!, option[2]!];
  });
  const kept = words.flatMap((word, at) => {
    const previous = words[at - 1] ?? '';
    if (LOCAL.includes(word) || LOCAL.includes(previous)) return [];
    const isElsewhere = isAbsolute(word) || word.startsWith('..');
    return [isElsewhere ? variableFor(previous, word) : word];
  });
  return ['npm run', script, ...(kept.length > 0 ? ['--', ...kept] : [])].join(' ');
}

function variableFor(option: string, path: string): string {
  if (option === '--skills') return '$CATALOG';
  if (option === '--index') return '$INDEX';
  if (option === '--data') return '$DATA';
  return option === '--queries'
    ? `$DATA/${basename(dirname(path))}/${basename(path)}`
    : `$DATA/${basename(path)}`;
}

/** Writes `value` to `folder/name`, which is made if it is missing. Returns the path. */
export async function writeJson(folder: string, name: string, value: unknown): Promise<string> {
  const file = join(folder, name);
  await mkdir(folder, { recursive: true });
  await writeFile(file, `${JSON.stringify(value, null, 2)}\n`);
  return file;
}
