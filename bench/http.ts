/**
 * `npm run bench -- http`: how much the built server bears over HTTP, as a team runs it (bearer tokens, rate limits,
 * metrics), under many connections that never pause, each search another one. Beside it, in the same run, the floor: the
 * SDK's bare handler with a tool that answers a constant. Memory is looked at every second: it has to stay flat.
 */

import { execFileSync, spawn } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { cpus, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import autocannon from 'autocannon';
import { columns } from '../src/evaluation/public.ts';
import { EXAMPLE_SKILLS, SHIPPED_DATASET } from './places.ts';
import { writeFigures } from './readme.ts';
import { readQueries } from './speed/queries.ts';
import { runNode } from './speed/usage.ts';

export interface HttpLoadOptions {
  readonly skills?: readonly string[];
  readonly queries?: string;
  readonly connections: number;
  readonly seconds: number;
  readonly program?: string;
  readonly out: string;
  readonly writeReadme?: boolean;
}

/** What one server bore. */
interface Load {
  readonly server: string;
  readonly requestsPerSecond: number;
  readonly latencyMs: { readonly p50: number; readonly p99: number; readonly max: number };
  readonly requests: number;
  /** Connections that failed, requests that timed out, and answers of another status than 200. */
  readonly errors: number;
  readonly timeouts: number;
  readonly refused: number;
  /** Resident set after the warm-up, at the end, and at most between. */
  readonly bytes: { readonly start: number; readonly end: number; readonly peak: number };
}

interface Target {
  readonly server: string;
  readonly args: readonly string[];
  readonly token: string;
}

/** Load before anything is measured, s: code is compiled and the index's pages are read. */
const WARM_UP_S = 5;
const START_MS = 600_000;
const REVISION = '2026-07-28';
/** Limits that nobody reaches here: what they cost is measured, not what they refuse. */
const LIMITS = ['limits.callsPerMinute=100000000', 'limits.bytesPerMinute=100000GiB', 'policy.default=allow'];

export async function measureHttp(options: HttpLoadOptions): Promise<void> {
  const program = resolve(options.program ?? fileURLToPath(new URL('../dist/skillgate.js', import.meta.url)));
  const bare = fileURLToPath(new URL('http-bare.mjs', import.meta.url));
  const folder = await mkdtemp(join(tmpdir(), 'skillgate-load-'));
  try {
    const skills = (options.skills ?? [EXAMPLE_SKILLS]).flatMap((dir) => ['--skills', resolve(dir)]);
    const place = [...skills, '--index', join(folder, 'index')];
    const tokens = join(folder, 'tokens.json');
    await runNode([program, 'index', ...place]);
    const token = (await runNode([program, 'token', 'create', 'bench', '--file', tokens])).stdout.trim();
    const settings = [...LIMITS, `auth.tokens=${tokens}`].flatMap((setting) => ['--set', setting]);
    const queries = await readQueries(options.queries ?? join(SHIPPED_DATASET, 'queries.jsonl'));
    const loads = [
      await loaded({ server: 'the SDK’s bare handler', args: [bare], token }, queries, options),
      await loaded(
        {
          server: 'skillgate',
          args: [program, 'serve', '--http', '--port', '0', ...place, ...settings],
          token,
        },
        queries,
        options,
      ),
    ];
    const text = table(loads, options);
    process.stdout.write(text);
    if (options.writeReadme) await writeFigures('http', text);
    await mkdir(options.out, { recursive: true });
    const machine = { node: process.version, cpu: cpus()[0]?.model ?? 'unknown', cores: cpus().length };
    const { connections, seconds } = options;
    await writeFile(
      join(options.out, 'http.json'),
      `${JSON.stringify({ machine, connections, seconds, loads }, null, 2)}\n`,
    );
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Starts a server, loads it, and ends it. */
async function loaded(
  { server, args, token }: Target,
  queries: readonly string[],
  { connections, seconds }: HttpLoadOptions,
): Promise<Load> {
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  const ended = new Promise<void>((done) => child.once('exit', () => done()));
  const memory: number[] = [];
  const watch = setInterval(() => memory.push(residentBytes(child.pid)), 1_000);
  try {
    const url = await listening(child.stderr, ended);
    const fire = (duration: number) =>
      autocannon({ url, connections, duration, timeout: 30, requests: searches(queries, token) });
    await fire(WARM_UP_S);
    memory.length = 0;
    const start = residentBytes(child.pid);
    const result = await fire(seconds);
    const end = residentBytes(child.pid);
    return {
      server,
      requestsPerSecond: result.requests.average,
      latencyMs: { p50: result.latency.p50, p99: result.latency.p99, max: result.latency.max },
      requests: result['2xx'],
      errors: result.errors,
      timeouts: result.timeouts,
      refused: result.non2xx,
      bytes: { start, end, peak: Math.max(start, end, ...memory) },
    };
  } finally {
    clearInterval(watch);
    child.kill('SIGTERM');
    await ended;
  }
}

async function listening(stderr: NodeJS.ReadableStream, ended: Promise<void>): Promise<string> {
  let said = '';
  const url = new Promise<string>((found, failed) => {
    const timer = setTimeout(() => failed(new Error(`The server does not listen: ${said}`)), START_MS);
    ended.then(() => failed(new Error(`The server ended: ${said}`)));
    stderr.setEncoding('utf8').on('data', (text: string) => {
      said += text;
      const address = /http:\S+\/mcp/.exec(said)?.[0];
      if (address === undefined) return;
      clearTimeout(timer);
      found(address);
    });
  });
  return url;
}

/** One search a query, over and over. */
function searches(queries: readonly string[], token: string): autocannon.Request[] {
  const meta = {
    'io.modelcontextprotocol/protocolVersion': REVISION,
    'io.modelcontextprotocol/clientInfo': { name: 'skillgate-bench', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  return queries.map((query, id) => ({
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': REVISION,
      'mcp-method': 'tools/call',
      'mcp-name': 'search_skills',
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id,
      method: 'tools/call',
      params: { name: 'search_skills', arguments: { query }, _meta: meta },
    }),
  }));
}

/** As the system counts it: the process itself is not asked, it has other things to do. */
function residentBytes(pid: number | undefined): number {
  if (pid === undefined) return 0;
  return Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' })) * 1_024;
}

function table(loads: readonly Load[], { connections, seconds }: HttpLoadOptions): string {
  const megabytes = (bytes: number) => (bytes / 2 ** 20).toFixed(0);
  const rows = loads.map(({ server, requestsPerSecond, latencyMs, requests, bytes, ...failures }) => [
    server,
    requestsPerSecond.toFixed(0),
    latencyMs.p50.toFixed(0),
    latencyMs.p99.toFixed(0),
    latencyMs.max.toFixed(0),
    String(requests),
    String(failures.errors + failures.timeouts + failures.refused),
    megabytes(bytes.start),
    megabytes(bytes.end),
    megabytes(bytes.peak),
  ]);
  const head = [
    '',
    'calls/s',
    'p50 ms',
    'p99 ms',
    'max ms',
    'answered',
    'failed',
    'MB at start',
    'at end',
    'peak',
  ];
  return `${connections} connections, ${seconds} s\n\n${columns([head, ...rows], [0])}`;
}
