/**
 * `npm run bench -- speed`: what users wait for, measured from outside on the built program: indexing, indexing
 * again, the first answer of a fresh process and of a fresh server, and warm searches over MCP. Beside each stands
 * the floor: an empty Node process.
 */

import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { cpus, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { z } from 'zod';
import { columns, quantile } from '../src/evaluation/public.ts';
import { EXAMPLE_SKILLS, SHIPPED_DATASET } from './places.ts';
import { progressBar } from './progress.ts';
import { writeFigures } from './readme.ts';
import { type Finished, medianOf, probed, runNode } from './usage.ts';

export interface SpeedOptions {
  readonly skills?: readonly string[];
  readonly queries?: string;
  readonly repeat: number;
  readonly searches: number;
  readonly program?: string;
  readonly out: string;
  readonly writeReadme?: boolean;
}

/** One line of the result; absent figures make no sense for it. */
interface Figure {
  readonly what: string;
  readonly wallMs?: number;
  readonly cpuMs?: number;
  readonly bytes?: number;
  /** Anything else worth a word. */
  readonly note?: string;
}

const report = z.object({ skills: z.number(), passages: z.number(), changed: z.number() });

/** Searches before warm ones are timed. */
const WARM_UP = 100;

export async function measureSpeed(options: SpeedOptions): Promise<void> {
  const program = resolve(options.program ?? fileURLToPath(new URL('../dist/skillgate.js', import.meta.url)));
  const folder = await mkdtemp(join(tmpdir(), 'skillgate-speed-'));
  try {
    // A skill of our own beside the given ones: it is changed, and nobody else's files are.
    const own = join(folder, 'own');
    await writeOwnSkill(own, 'first');
    const given = (options.skills ?? [EXAMPLE_SKILLS]).flatMap((dir) => ['--skills', resolve(dir)]);
    const place = [...given, '--skills', own, '--index', join(folder, 'index')];
    const queries = await readQueries(options.queries ?? join(SHIPPED_DATASET, 'queries.jsonl'));
    const figures = [
      ...(await indexing(program, place, own, options.repeat)),
      ...(await freshProcesses(program, place, queries, options.repeat)),
      ...(await serving(program, place, queries, options)),
    ];
    const text = table(figures);
    process.stdout.write(text);
    if (options.writeReadme) await writeFigures('speed', text);
    await mkdir(options.out, { recursive: true });
    const machine = { node: process.version, cpu: cpus()[0]?.model ?? 'unknown', cores: cpus().length };
    await writeFile(join(options.out, 'speed.json'), `${JSON.stringify({ machine, figures }, null, 2)}\n`);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function indexing(
  program: string,
  place: readonly string[],
  own: string,
  repeat: number,
): Promise<Figure[]> {
  const index = () => runNode([program, 'index', '--json', ...place]);
  const whole = await index();
  const { skills, passages } = report.parse(JSON.parse(whole.stdout));
  const onDisk = await sizeOf(place.at(-1)!);
  const perSecond = Math.round((1000 * skills) / whole.wallMs);
  const again = await medianOf(repeat, index);
  const changes = await medianOf(repeat, async () => {
    await writeOwnSkill(own, `changed at ${performance.now()}`);
    const run = await index();
    const { changed } = report.parse(JSON.parse(run.stdout));
    if (changed !== 1) throw new Error(`One skill was changed, and ${changed} were indexed.`);
    return run;
  });
  return [
    figure('index from nothing', whole, `${skills} skills, ${passages} passages, ${perSecond} skills/s`),
    { what: 'index on disk', bytes: onDisk, note: `${Math.round(onDisk / passages)} bytes a passage` },
    figure('index again, nothing changed', again),
    figure('index again, one skill changed', changes),
  ];
}

async function freshProcesses(
  program: string,
  place: readonly string[],
  queries: readonly string[],
  repeat: number,
): Promise<Figure[]> {
  const empty = await medianOf(repeat, () => runNode(['-e', '0']));
  const search = await medianOf(repeat, () => runNode([program, 'search', queries[0]!, '--json', ...place]));
  return [figure('floor: empty Node process', empty), figure('search in a fresh process', search)];
}

async function serving(
  program: string,
  place: readonly string[],
  queries: readonly string[],
  { repeat, searches }: SpeedOptions,
): Promise<Figure[]> {
  const first = await medianOf(repeat, () => serve(program, place, async (search) => search(queries[0]!)));
  const times: number[] = [];
  const show = progressBar();
  const warm = await serve(program, place, async (search) => {
    for (let count = 0; count < WARM_UP + searches; count++) {
      const start = performance.now();
      await search(queries[count % queries.length]!);
      if (count >= WARM_UP) times.push(performance.now() - start);
      show('warm searches', count + 1, WARM_UP + searches);
    }
  });
  const at = (q: number) => quantile(times, q).toFixed(2);
  return [
    figure('serve: from start to first answer', first),
    {
      what: 'serve: warm search over MCP',
      wallMs: quantile(times, 0.5),
      bytes: warm.bytes,
      note: `p95 ${at(0.95)} ms, p99 ${at(0.99)} ms, ${searches} searches; peak ${megabytes(warm.peakBytes)} MB`,
    },
  ];
}

/** Starts a server, lets `use` search it, and ends it. Wall time is that of start and use; the rest until its end. */
async function serve(
  program: string,
  place: readonly string[],
  use: (search: (query: string) => Promise<unknown>) => Promise<unknown>,
): Promise<Finished> {
  const { env, read } = probed();
  const args = [program, 'serve', ...place];
  const start = performance.now();
  const client = new Client({ name: 'skillgate-bench', version: '1' });
  await client.connect(new StdioClientTransport({ command: process.execPath, args, env, stderr: 'ignore' }));
  await use(async (query) => {
    const answer = await client.callTool({ name: 'search_skills', arguments: { query } });
    if (answer.isError) throw new Error(`The server refused a search: ${JSON.stringify(answer.content)}`);
  });
  const wallMs = performance.now() - start;
  await client.close();
  return { ...(await read()), wallMs, stdout: '' };
}

export async function readQueries(file: string): Promise<string[]> {
  const row = z.object({ text: z.string() });
  const lines = (await readFile(file, 'utf8')).split('\n').filter((line) => line.trim() !== '');
  const texts = lines.map((line) => row.parse(JSON.parse(line)).text).filter((text) => text.trim() !== '');
  if (texts.length === 0) throw new Error(`${file} holds no queries.`);
  return texts;
}

async function writeOwnSkill(folder: string, word: string): Promise<void> {
  const skill = join(folder, 'bench-probe');
  await mkdir(skill, { recursive: true });
  const text = `---\nname: bench-probe\ndescription: Stands in for a skill that is being edited.\n---\n\n# Probe\n\n${word}\n`;
  await writeFile(join(skill, 'SKILL.md'), text);
}

async function sizeOf(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const sizes = await Promise.all(
    files.map(async (file) => (await stat(join(file.parentPath, file.name))).size),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}

function figure(what: string, { wallMs, cpuMs, peakBytes }: Finished, note?: string): Figure {
  return { what, wallMs, cpuMs, bytes: peakBytes, ...(note !== undefined && { note }) };
}

const megabytes = (bytes: number) => (bytes / 2 ** 20).toFixed(0);

function table(figures: readonly Figure[]): string {
  const milliseconds = (value: number | undefined) =>
    value === undefined ? '' : value.toFixed(value < 10 ? 2 : 0);
  const rows = [
    ['', 'wall ms', 'CPU ms', 'MB', ''],
    ...figures.map(({ what, wallMs, cpuMs, bytes, note = '' }) => [
      what,
      milliseconds(wallMs),
      milliseconds(cpuMs),
      bytes === undefined ? '' : megabytes(bytes),
      note,
    ]),
  ];
  return columns(rows, [0, 4]);
}
