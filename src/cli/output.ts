/** Results go to stdout, messages and progress to stderr. Colours follow NO_COLOR and whether stdout is a terminal. */

import { createInterface } from 'node:readline/promises';
import type { SingleBar } from 'cli-progress';
import pc from 'picocolors';
import type { CommonOptions } from '../app/settings.ts';
import { asLine, escapeHidden, toJsonLines } from '../base/lines.ts';
import type { Progress } from '../catalog/indexing/report.ts';

const LABELS: Record<Progress['stage'], string> = {
  scan: 'Looking for skills',
  read: 'Reading and embedding',
  merge: 'Merging',
  graph: 'Building the graph',
};

export const colours = pc.createColors(pc.isColorSupported && process.stdout.isTTY === true);

/** One line to stdout. Names and paths of others in it forge no other line, and no command of a terminal or workflow. */
export const print = (line: string) => writeLine(process.stdout, line);

const writeLine = (stream: NodeJS.WriteStream, line: string) => {
  stream.write(`${asLine(line, colours.isColorSupported)}\n`);
};

/** A command for a workflow: its texts are escaped already. */
export const printCommand = (line: string) => process.stdout.write(`${escapeHidden(line)}\n`);

/** Text of others, or of several lines, to stdout: a pipe gets every byte, and a terminal no command. */
export const printText = (text: string) => writeText(process.stdout, text);

const writeText = (stream: NodeJS.WriteStream, text: string) => {
  stream.write(`${stream.isTTY === true ? withoutCommands(text) : text}\n`);
};

/** Texts of skills may hold what terminals obey, to write the clipboard for example: all but colours shows as text. */
export const withoutCommands = (text: string) =>
  text.replace(/\x1b\[[0-9;]*m|[^\P{Cc}\n\t]/gu, (found) =>
    found.length > 1 ? found : `\\x${found.charCodeAt(0).toString(16).padStart(2, '0')}`,
  );

export const printJson = (value: unknown) => printText(toJsonLines(value));

/** Prints a report with its fields in the case of the MCP tools' fields. */
export const printReport = (report: object) => printJson(inSnakeCase(report));

/** Fields whose own names are data: ranking features, as in `score_parts` of a hit, and settings. */
const OF_DATA = new Set(['parts', 'config']);

function inSnakeCase(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inSnakeCase);
  if (typeof value !== 'object' || value === null || value instanceof Date) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => {
      const isPlain = /^[a-z][A-Za-z]*$/.test(name);
      const written = isPlain ? name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`) : name;
      return [written, OF_DATA.has(name) ? field : inSnakeCase(field)];
    }),
  );
}

/** As `print`, to stderr. */
export const say = (line: string) => writeLine(process.stderr, line);

/** As `printText`, to stderr. */
export const sayText = (text: string) => writeText(process.stderr, text);

/** For commands that stay silent unless someone looks for a reason. */
export function sayIfVerbose(text: string): void {
  if (process.argv.includes('--verbose')) say(text.trimEnd());
}

/** Draws a progress bar on a terminal. Silent elsewhere, so that logs stay readable. */
export async function progressOnStderr(): Promise<{
  onProgress: (progress: Progress) => void;
  stop: () => void;
}> {
  if (process.stderr.isTTY !== true) return { onProgress: () => {}, stop: () => {} };
  const { default: cliProgress } = await import('cli-progress');
  let bar: SingleBar | null = null;
  let stage: Progress['stage'] | null = null;
  const stop = () => {
    bar?.stop();
    bar = null;
  };
  return {
    stop,
    onProgress(progress) {
      if (progress.total === 0 || progress.stage === 'scan') return;
      if (progress.stage !== stage) {
        stop();
        stage = progress.stage;
        const format = `${LABELS[stage].padEnd(22)} {bar} {value}/{total} · {eta_formatted} left`;
        bar = new cliProgress.SingleBar(
          { format, clearOnComplete: true, hideCursor: true, stream: process.stderr },
          cliProgress.Presets.shades_classic,
        );
        bar.start(progress.total, progress.done);
      } else bar?.update(progress.done);
    },
  };
}

/** Columns of the terminal, at most 80: longer lines are hard to read, and break where they are pasted. */
export const width = () => Math.min(80, process.stdout.columns ?? 80);

/** Characters that take two columns of a terminal. */
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]/g;

/** Columns that a text takes. */
export const countColumns = (text: string) => text.length + (text.match(WIDE)?.length ?? 0);

/** One line of at most `limit` columns (at least 1), cut at a word. */
export function clip(text: string, limit: number): string {
  const length = Math.max(1, limit);
  const line = text.replace(/[\s\p{Cc}]+/gu, ' ').trim();
  if (countColumns(line) <= length) return line;
  let end = Math.min(line.length, length - 1);
  while (countColumns(line.slice(0, end)) > length - 1) end -= 1;
  const cut = line.slice(0, end);
  const space = cut.lastIndexOf(' ');
  return `${(space > length / 2 ? cut.slice(0, space) : cut).toWellFormed()}…`;
}

/** The words of a text on lines of at most that many columns; a longer word has a line of its own. */
export function wrapped(text: string, limit: number): string[] {
  const lines = [''];
  for (const word of text.split(' ')) {
    const line = lines.at(-1) ?? '';
    if (line === '') lines[lines.length - 1] = word;
    else if (countColumns(line) + 1 + countColumns(word) <= limit)
      lines[lines.length - 1] = `${line} ${word}`;
    else lines.push(word);
  }
  return lines;
}

/** Options that another command needs to find the same skills, with a space before each. */
export function sameSkills({
  skills = [],
  index,
  config,
}: Pick<CommonOptions, 'skills' | 'index' | 'config'>): string {
  const given = [
    ...skills.map((folder) => ['--skills', folder] as const),
    ...(index === undefined ? [] : [['--index', index] as const]),
    ...(config === undefined ? [] : [['--config', config] as const]),
  ];
  return given
    .map(([flag, value]) => ` ${flag} ${/^[\w./:@~-]+$/.test(value) ? value : JSON.stringify(value)}`)
    .join('');
}

/** Asks a person; null where no one can be asked. */
export async function confirmed(question: string): Promise<boolean | null> {
  if (!isTerminal()) return null;
  const prompt = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return /^y(es)?$/i.test((await prompt.question(`${asLine(question)} [y/N] `)).trim());
  } finally {
    prompt.close();
  }
}

/** Whether a person can be asked. */
export const isTerminal = () => process.stdin.isTTY === true && process.stderr.isTTY === true;
