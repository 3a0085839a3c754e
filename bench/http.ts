/**
 * `npm run bench -- http`: throughput of the built server over HTTP, configured as a team runs it (bearer tokens, rate
 * limits, metrics), under many connections that never pause. The same run measures the floor: the SDK's bare handler with
 * a tool that returns a constant. Samples memory every second: it must stay bounded.
 */

import { spawn } from 'node:child_process';
import { join } from 'node:path';
import autocannon, { type Request } from 'autocannon';
import { withTimeout } from '../src/base/timing.ts';
import { columns } from './evaluation/table.ts';
import { machine, residentBytes } from './machine.ts';
import { here, withScratchFolder } from './paths.ts';
import { publish, writeJson } from './results-file.ts';
import { type SetupOptions, setUp } from './speed/setup.ts';
import { runNode } from './speed/usage.ts';

interface HttpOptions extends SetupOptions {
  readonly connections: number;
  /** Duration of each measurement. */
  readonly seconds: number;
  readonly out: string;
  /** The command line for `RESULTS.md`; absent: print only. */
  readonly write?: string;
}

/** The figures of one server. */
interface Load {
  readonly server: string;
  readonly requestsPerSecond: number;
  readonly latencyMs: { readonly p50: number; readonly p99: number; readonly max: number };
  readonly requests: number;
  /** Connections that failed, requests that timed out, and answers with another status than 200. */
  readonly errors: number;
  readonly timeouts: number;
  readonly refused: number;
  /** Resident set after the warm-up, at the end, and the largest sample. */
  readonly bytes: { readonly start: number; readonly end: number; readonly peak: number };
}

interface Target {
  readonly server: string;
  readonly args: readonly string[];
  readonly token: string;
}

/** Load before the measurement, s: code is compiled and pages of the index are read. */
const WARM_UP_S = 5;
const START_MS = 600_000;
const REVISION = '2026-07-28';
/** Limits that no request reaches: this measures the cost of checking them. */
const LIMITS = ['limits.callsPerMinute=100000000', 'limits.bytesPerMinute=100000GiB', 'policy.default=allow'];

export async function measureHttp(options: HttpOptions): Promise<void> {
  const { connections, seconds, out } = options;
  const loads = await withScratchFolder(async (scratch) => {
    const { program, args, queries } = await setUp(options, scratch);
    const tokens = join(scratch, 'tokens.json');
    const token = (await runNode([program, 'token', 'create', 'bench', '--file', tokens])).stdout.trim();
    const settings = [...LIMITS, `auth.tokens=${tokens}`].flatMap((setting) => ['--set', setting]);
    const serve = [program, 'serve', '--http', '--port', '0', ...args, ...settings];
    return [
      await loadOf(
        { server: 'the SDK’s bare handler', args: [here('bare-http-server.mjs')], token },
        queries,
        options,
      ),
      await loadOf({ server: 'skillgate', args: serve, token }, queries, options),
    ];
  });
  await writeJson(out, 'http.json', { machine: machine(), connections, seconds, loads });
  await publish({ name: 'http', title: 'HTTP', figures: table(loads, options) }, options.write);
}

/** Starts a server, measures it under load, and ends it. */
async function loadOf(
  { server, args, token }: Target,
  queries: readonly string[],
  { connections, seconds }: HttpOptions,
): Promise<Load> {
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  const ended = new Promise<void>((done) => child.once('exit', () => done()));
  const memory = () => (child.pid === undefined ? 0 : residentBytes([child.pid]));
  const samples: number[] = [];
  const sampling = setInterval(() => samples.push(memory()), 1_000);
  try {
    const url = await addressOf(child.stderr, ended);
    const send = (duration: number) =>
      autocannon({ url, connections, duration, timeout: 30, requests: searches(queries, token) });
    await send(WARM_UP_S);
    samples.length = 0;
    const start = memory();
    const result = await send(seconds);
    const end = memory();
    return {
      server,
      requestsPerSecond: result.requests.average,
      latencyMs: { p50: result.latency.p50, p99: result.latency.p99, max: result.latency.max },
      requests: result['2xx'],
      errors: result.errors,
      timeouts: result.timeouts,
      refused: result.non2xx,
      bytes: { start, end, peak: Math.max(start, end, ...samples) },
    };
  } finally {
    clearInterval(sampling);
    child.kill('SIGTERM');
    await ended;
  }
}

/** The address that the server prints once it listens. */
async function addressOf(stderr: NodeJS.ReadableStream, ended: Promise<void>): Promise<string> {
  let output = '';
  const listening = new Promise<string>((resolve) => {
    stderr.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      const address = /http:\S+\/mcp/.exec(output)?.[0];
      if (address !== undefined) resolve(address);
    });
  });
  const failed = (what: string) => (): never => {
    throw new Error(`The server ${what}: ${output}`);
  };
  return withTimeout(
    Promise.race([listening, ended.then(failed('ended before it listened'))]),
    START_MS,
    failed('does not listen'),
  );
}

/** One search request per query. */
export function searches(queries: readonly string[], token: string): Request[] {
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

function table(loads: readonly Load[], { connections, seconds }: HttpOptions): string {
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
