/**
 * `npm run bench -- store`: several gateways on one PostgreSQL server of this machine, next to one gateway with an embedded index, in
 * the same run. Searches under load, memory, the time from a changed skill to an answer of every gateway that has it, and the time
 * from the start of a gateway without a copy to its first answer. All of them share this machine's cores. Its table in `RESULTS.md` has
 * the catalogs of earlier runs, too, by their size.
 */

import { execFileSync } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statfsSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import autocannon from 'autocannon';
import { skillFile, type Workplace, workplace } from '../test/acceptance/command.ts';
import { searchedOnce } from '../test/acceptance/gateways.ts';
import { type HttpServer, serveHttp } from '../test/acceptance/http-server.ts';
import { type PostgresServer, postgresServer } from '../test/postgres.ts';
import { quantile } from './evaluation/statistics.ts';
import { columns } from './evaluation/table.ts';
import { searches } from './http.ts';
import { machine, residentBytes, untilIdle } from './machine.ts';
import { amongSizes, publish, writeJson } from './results-file.ts';
import { readQueries } from './speed/queries.ts';
import { queriesOf, type SetupOptions, skillFolders } from './speed/setup.ts';

interface StoreOptions extends SetupOptions {
  readonly index?: string;
  readonly gateways: readonly number[];
  readonly connections: number;
  /** Duration of each measurement. */
  readonly seconds: number;
  readonly changes: number;
  /** Gateways after the second begin with the second's copy, as links. */
  readonly linkedCopies?: boolean;
  readonly out: string;
  /** The command line for `RESULTS.md`; absent: print only. */
  readonly write?: string;
}

interface Figures {
  /** 0: embedded. */
  readonly gateways: number;
  /** From the start of the last gateway, which has no copy, to its first answer. */
  readonly firstAnswerMs: number;
  readonly p50: number;
  readonly p99: number;
  readonly perSecond: number;
  readonly failed: number;
  /** Of each gateway, at the end of the load. */
  readonly gatewayBytes: number;
  readonly databaseBytes: number | null;
  /** From a changed skill to the answer of the last gateway that has it; median. */
  readonly changeMs: number;
}

/** Load before the measurement, s: code is compiled and pages of the index are read. */
const WARM_UP_S = 3;
const POLL_MS = 20;
/** While a gateway fetches its copy: questions take its time, too. */
const START_POLL_MS = 100;
/** Limits that no request reaches. */
const LIMITS = ['limits.callsPerMinute=100000000', 'limits.bytesPerMinute=100000GiB'];
/** Of memory and disk that stays free: PostgreSQL, the clients and the system need theirs. */
const RESERVE_BYTES = 2 * 2 ** 30;

export async function measureStore(options: StoreOptions): Promise<void> {
  const { gateways } = options;
  const queries = await readQueries(queriesOf(options));
  const postgres = await postgresServer();
  const place = workplace();
  const all: (Figures | Skipped)[] = [];
  try {
    const folders = [...skillFolders(options), join(place.folder, 'changing')];
    change(place, 'as it began');
    if (options.index !== undefined) cpSync(options.index, join(place.folder, 'index'), { recursive: true });
    const common = [...folders.flatMap((folder) => ['--skills', folder]), '--index', 'index'];
    const store = ['--set', `store.url=${postgres.url}`];
    const { skills } = JSON.parse(await done(place, 'index', '--json', ...common)) as { skills: number };
    const embedded = await measured([[]], { place, common, postgres: null, queries, options });
    all.push(embedded);
    await done(place, 'store', 'init', ...common, ...store);
    const start = performance.now();
    await done(place, 'store', 'copy-in', ...common, ...store);
    const publishMs = performance.now() - start;
    const [size] = await postgres.query<{ bytes: string }>(
      'select pg_database_size(current_database()) as bytes',
    );
    const storedBytes = Number(size?.bytes);
    for (const count of gateways) {
      const copies = options.linkedCopies === true ? Math.min(2, count) : count;
      const skipped = shortage(count, copies, embedded.gatewayBytes, place.folder);
      if (skipped !== null) process.stderr.write(`${count} gateways are skipped: ${skipped}.\n`);
      const servers = Array.from({ length: count }, (_, at) => [...store, ...gatewaySettings(at)]);
      all.push(
        skipped === null
          ? await measured(servers, { place, common, postgres, queries, options })
          : { gateways: count, skipped },
      );
      for (const at of servers.keys())
        rmSync(join(place.folder, copyName(at)), { recursive: true, force: true });
      // Each time: a large catalog takes an hour, and the next number may fail. One skill is that which changes.
      await report({ skills: skills - 1, publishMs, storedBytes, all }, options);
    }
  } finally {
    place.remove();
    await postgres.remove();
  }
}

interface Report {
  readonly skills: number;
  readonly publishMs: number;
  readonly storedBytes: number;
  readonly all: readonly (Figures | Skipped)[];
}

async function report(
  { skills, ...measurements }: Report,
  { out, connections, seconds, write }: StoreOptions,
) {
  await writeJson(out, `store-${skills}.json`, { machine: machine(), connections, seconds, ...measurements });
  const { cores } = machine();
  const conditions = `${connections} connections to each gateway, ${seconds} s. Gateways, database and clients share this machine's ${cores} cores; a gateway starts once the others and the database are idle.`;
  const rows = await amongSizes('store', rowsFor(skills, measurements));
  const figures = columns([HEAD, ...rows], [1, HEAD.length - 1]);
  await publish({ name: 'store', title: 'Several gateways', figures, conditions }, write);
}

const copyName = (at: number) => `copy-${at}`;

/** The first may write, and has the index that was published; the others have nothing. */
const gatewaySettings = (at: number) => [
  ...['--set', `store.cache=${copyName(at)}`],
  ...['--set', `store.role=${at === 0 ? 'writer' : 'reader'}`],
];

interface Skipped {
  readonly gateways: number;
  /** Why. */
  readonly skipped: string;
}

/** Why so many gateways do not fit on this machine; null where they do. Each needs at most what an embedded one takes. */
function shortage(count: number, copies: number, gatewayBytes: number, folder: string): string | null {
  const memory = 1_024 * Number(/^MemAvailable:\s+(\d+)/m.exec(readFileSync('/proc/meminfo', 'utf8'))?.[1]);
  const { bavail, bsize } = statfsSync(folder);
  const index = join(folder, 'index');
  const copyBytes = readdirSync(index).reduce((sum, name) => sum + statSync(join(index, name)).size, 0);
  const needs = [
    { what: 'memory', needed: count * gatewayBytes, free: memory },
    { what: 'disk', needed: copies * copyBytes, free: bavail * bsize },
  ];
  const lacking = needs.filter(({ needed, free }) => needed + RESERVE_BYTES > free);
  if (lacking.length === 0) return null;
  return lacking
    .map(({ what, needed, free }) => `${gigabytes(needed)} GB of ${what} needed, ${gigabytes(free)} GB free`)
    .join('; ');
}

interface Run {
  readonly place: Workplace;
  readonly common: readonly string[];
  /** Null for the embedded index. */
  readonly postgres: PostgresServer | null;
  readonly queries: readonly string[];
  readonly options: StoreOptions;
}

async function measured(each: readonly string[][], run: Run): Promise<Figures> {
  const { place, common, postgres, queries, options } = run;
  const servers: HttpServer[] = [];
  try {
    let firstAnswerMs = 0;
    for (const [at, own] of each.entries()) {
      const isLinked = options.linkedCopies === true && at > 1;
      if (isLinked) execFileSync('cp', ['-al', copyName(1), copyName(at)], { cwd: place.folder });
      await postgres?.query('checkpoint');
      await untilIdle();
      const start = performance.now();
      const server = await serveHttp(
        place,
        null,
        ...common,
        ...own,
        ...LIMITS.flatMap((limit) => ['--set', limit]),
      );
      servers.push(server);
      await untilIn(
        server,
        queries[0]!,
        (text) => text.includes('"result"') && !text.includes('"isError":true'),
        START_POLL_MS,
      );
      if (!isLinked) firstAnswerMs = performance.now() - start;
    }
    const load = (duration: number) =>
      Promise.all(
        servers.map(({ url }) =>
          autocannon({
            url,
            connections: options.connections,
            duration,
            timeout: 30,
            requests: searches(queries, 'none'),
          }),
        ),
      );
    await load(WARM_UP_S);
    const results = await load(options.seconds);
    const gatewayBytes = residentBytes(servers.map(({ pid }) => pid)) / servers.length;
    const databaseBytes = postgres === null ? null : proportionalBytes(postgres.pid());
    const changes: number[] = [];
    for (let at = 0; at < options.changes; at += 1) {
      const word = `xylograph${servers.length}x${at}`;
      const start = performance.now();
      change(place, word);
      await Promise.all(
        servers.map((server) => untilIn(server, word, (text) => text.includes(`Draws ${word}`))),
      );
      changes.push(performance.now() - start);
    }
    return {
      gateways: postgres === null ? 0 : servers.length,
      firstAnswerMs,
      p50: Math.max(...results.map(({ latency }) => latency.p50)),
      p99: Math.max(...results.map(({ latency }) => latency.p99)),
      perSecond: results.reduce((sum, { requests }) => sum + requests.average, 0),
      failed: results.reduce((sum, { errors, timeouts, non2xx }) => sum + errors + timeouts + non2xx, 0),
      gatewayBytes,
      databaseBytes,
      changeMs: quantile(changes, 0.5),
    };
  } finally {
    await Promise.all(servers.map((server) => server.end()));
  }
}

/** Asks until the answer is as wanted. */
async function untilIn(
  { url }: HttpServer,
  query: string,
  isWanted: (text: string) => boolean,
  everyMs = POLL_MS,
): Promise<void> {
  while (!isWanted(await searchedOnce(url, query).catch(String))) await delay(everyMs);
}

function change(place: Workplace, words: string): void {
  mkdirSync(join(place.folder, 'changing/changing'), { recursive: true });
  writeFileSync(
    join(place.folder, 'changing/changing/SKILL.md'),
    skillFile('changing', `Draws ${words} charts.`),
  );
}

/** Returns what the command printed. */
async function done(place: Workplace, ...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await place.run(...args);
  if (code !== 0) throw new Error(`skillgate ${args.join(' ')}: ${stderr}`);
  return stdout;
}

/** Memory of a server's processes, each shared page divided by those that share it, bytes. */
function proportionalBytes(pid: number): number {
  const children = execFileSync('ps', ['-o', 'pid=', '--ppid', String(pid)], { encoding: 'utf8' });
  const pids = [pid, ...children.trim().split('\n').map(Number)];
  const bytes = pids.map((one) => {
    try {
      return 1_024 * Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${one}/smaps_rollup`, 'utf8'))?.[1]);
    } catch {
      // It has ended.
      return 0;
    }
  });
  return bytes.reduce((sum, one) => sum + one, 0);
}

const megabytes = (bytes: number) => (bytes / 2 ** 20).toFixed(0);
const gigabytes = (bytes: number) => (bytes / 2 ** 30).toFixed(1);

const HEAD = [
  'skills',
  'gateways',
  'searches/s',
  'p50 ms',
  'p99 ms',
  'failed',
  'MB a gateway',
  'MB database',
  'change ms',
  'first answer ms',
  'published s',
  'MB stored',
  'skipped',
];

function rowsFor(skills: number, { publishMs, storedBytes, all }: Omit<Report, 'skills'>): string[][] {
  const catalog = [(publishMs / 1_000).toFixed(1), megabytes(storedBytes)];
  return all.map((one) => {
    const names = [String(skills), one.gateways === 0 ? 'embedded' : String(one.gateways)];
    if ('skipped' in one) return [...names, ...Array.from({ length: 8 }, () => '–'), ...catalog, one.skipped];
    const figures = [
      one.perSecond.toFixed(0),
      one.p50.toFixed(0),
      one.p99.toFixed(0),
      String(one.failed),
      megabytes(one.gatewayBytes),
      one.databaseBytes === null ? '–' : megabytes(one.databaseBytes),
      one.changeMs.toFixed(0),
      one.firstAnswerMs.toFixed(0),
    ];
    return [...names, ...figures, ...(one.gateways === 0 ? ['–', '–'] : catalog)];
  });
}
