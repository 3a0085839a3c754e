/**
 * `npm run bench -- soak --minutes N`: whether memory, descriptors and latencies stay flat. Two gateways serve the same sources and
 * the same index over HTTP. One stays for the whole time, and is measured; the other is killed and started again every few minutes,
 * in the middle of its work. Both get mixed load: searches, loads, reads, lists, sessions, scripts in the sandbox, and a client
 * that reads slowly; skills are edited, added and removed, an archive is exchanged, a token comes and goes.
 */

import { cpSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { skillFile, type Workplace, workplace } from '../test/acceptance/command.ts';
import { type HttpServer, serveHttp } from '../test/acceptance/http-server.ts';
import { SWITCHED_ON, sandboxed, writeSkill } from '../test/acceptance/script-server.ts';
import { rawPost, rpc, sendFrom, silent, tokenOf } from '../test/attacks/http-server.ts';
import { tarGz } from '../test/extensions/remote-sources/archive/packing.ts';
import { quantile } from './evaluation/statistics.ts';
import { columns } from './evaluation/table.ts';
import { machine } from './machine.ts';
import { EXAMPLE_SKILLS } from './paths.ts';
import { publish, writeJson } from './results-file.ts';
import { slopeOf } from './slope.ts';

interface SoakOptions {
  readonly minutes: number;
  /** Time between two kills, s. */
  readonly killEvery: number;
  readonly out: string;
  /** The command line for `RESULTS.md`; absent: print only. */
  readonly write?: string;
}

/** One window of the measurement. */
interface Sample {
  /** Minutes since the start. */
  readonly at: number;
  readonly residentMB: number;
  readonly descriptors: number;
  readonly threads: number;
  readonly searchP50: number;
  readonly searchP99: number;
  /** CPU of the gateway by call, ms: what other work on the machine does not change. */
  readonly cpuPerCall: number;
  /** How late timers of this process are at the 99th percentile, ms: the machine's share in the latencies. */
  readonly idleP99: number;
  readonly indexFiles: number;
  readonly indexMB: number;
}

const SAMPLE_S = 15;
/** Samples before this time are not compared: code is compiled, caches fill. */
const WARM_UP_MIN = 2;
/** Pause of each caller between two calls, ms: the machine shall not be full. */
const PAUSE_MS = 200;
const EDIT_MS = 5_000;
const EXCHANGE_MS = 60_000;
const SCRIPT_MS = 10_000;
const LARGE_BYTES = 4 * 2 ** 20;
/** Clock ticks a second in /proc/PID/stat, as Linux reports them to programs. */
const TICKS = 100;

const QUERIES = [
  ...['fill in a PDF form', 'review a pull request', 'make a chart of sales', 'deploy to kubernetes'],
  ...['write release notes', 'query a database', 'nothing that any skill does: moon cheese'],
];

const call = (name: string, args: object) => rpc('tools/call', { name, arguments: args });

class Soak {
  readonly #options: SoakOptions;
  readonly #place: Workplace;
  readonly #tokens: string;
  #token = '';
  #staying: HttpServer | null = null;
  #dying: HttpServer | null = null;
  #over = false;
  #calls = 0;
  #searches: number[] = [];
  kills = 0;
  edits = 0;
  /** Answers by kind that should not have come. */
  readonly failures = new Map<string, number>();
  /** Seconds from a start after a kill to the first good answer. */
  readonly recoveries: number[] = [];
  readonly samples: Sample[] = [];
  readonly callsByKind = new Map<string, number>();

  constructor(options: SoakOptions, place: Workplace) {
    this.#options = options;
    this.#place = place;
    this.#tokens = join(place.folder, 'tokens.json');
  }

  async run(): Promise<void> {
    await this.#prepare();
    this.#staying = await this.#started();
    this.#dying = await this.#started();
    const end = performance.now() + this.#options.minutes * 60_000;
    const work = [
      ...Array.from({ length: 4 }, (_, at) => this.#caller(at)),
      this.#every(SCRIPT_MS, () => this.#script()),
      this.#every(EDIT_MS, () => this.#edit()),
      this.#every(EXCHANGE_MS, () => this.#exchange()),
      this.#every(this.#options.killEvery * 1_000, () => this.#kill()),
      this.#every(EXCHANGE_MS, () => this.#readSlowly()),
      this.#sampling(),
    ];
    while (performance.now() < end) await delay(500);
    this.#over = true;
    await Promise.all(work);
    await this.#staying.end();
    await this.#dying?.end();
  }

  async #prepare(): Promise<void> {
    const place = this.#place;
    this.#token = await tokenOf(this.#tokens, 'soak');
    cpSync(EXAMPLE_SKILLS, join(place.folder, 'skills'), { recursive: true });
    place.write('skills/large/SKILL.md', skillFile('large', 'Read a large file'));
    place.write('skills/large/references/large.md', 'all work and no play\n'.repeat(LARGE_BYTES / 21));
    writeSkill(place, 'script', { 'count.sh': 'seq 1 1000\n' });
    await this.#exchange();
    const rules = [{ who: ['*'], allow: [{}], scripts: ['*'] }];
    const config = {
      auth: { tokens: 'tokens.json' },
      policy: { rules },
      sources: [
        { kind: 'local', name: 'local', root: 'skills' },
        { kind: 'archive', name: 'archive', path: 'more.tar.gz', refresh: '30s' },
      ],
      limits: { callsPerMinute: 100_000, bytesPerMinute: '10GiB', bytesPerMinutePerAddress: '10GiB' },
      ...(sandboxed ? { scripts: { ...SWITCHED_ON, confirm: 'never' } } : {}),
      telemetry: { audit: 'audit.jsonl' },
    };
    place.write('skillgate.config.json', JSON.stringify(config));
  }

  async #started(): Promise<HttpServer> {
    const server = await serveHttp(this.#place, null);
    // Another gateway may hold the index for a moment.
    while (!(await this.#isReady(server))) await delay(200);
    return server;
  }

  async #isReady(server: HttpServer): Promise<boolean> {
    const { status, text } = await this.#send(server, call('search_skills', { query: QUERIES[0] }));
    return status === 200 && text.includes('"hits":[{');
  }

  #send(server: HttpServer, body: string, headers: Readonly<Record<string, string>> = {}) {
    return sendFrom(server.url, { headers: { authorization: `Bearer ${this.#token}`, ...headers }, body });
  }

  /** Sends a call and counts it, and what is wrong with its answer. */
  async #call(kind: string, server: HttpServer | null, body: string): Promise<void> {
    if (server === null) return;
    const isStaying = server === this.#staying;
    const start = performance.now();
    try {
      const { status, text } = await this.#send(server, body);
      if (isStaying) {
        this.#calls += 1;
        this.callsByKind.set(kind, (this.callsByKind.get(kind) ?? 0) + 1);
        if (kind === 'search') this.#searches.push(performance.now() - start);
      }
      if (status !== 200) this.#failed(`${kind}: ${status}`);
      else if (text.includes('"isError":true')) this.#failed(`${kind}: ${text.slice(0, 200)}`);
    } catch (error) {
      // Connections to the gateway that is killed may break.
      if (isStaying) this.#failed(`${kind}: ${String(error)}`);
    }
  }

  #failed(what: string): void {
    this.failures.set(what, (this.failures.get(what) ?? 0) + 1);
  }

  async #caller(number: number): Promise<void> {
    for (let turn = number; !this.#over; turn++) {
      const server = turn % 3 === 2 ? this.#dying : this.#staying;
      const query = QUERIES[turn % QUERIES.length] ?? '';
      if (turn % 20 === 7) await this.#call('list', server, call('list_skills', { limit: 20 }));
      else if (turn % 20 === 13) await this.#session(server);
      else if (turn % 5 === 1) await this.#call('load', server, call('load_skill', { skill: 'large' }));
      else if (turn % 5 === 3)
        await this.#call(
          'read',
          server,
          call('read_reference', { skill: 'large', path: 'references/large.md', lines: '5000-5100' }),
        );
      else await this.#call('search', server, call('search_skills', { query: `${query} ${turn % 50}` }));
      await delay(PAUSE_MS);
    }
  }

  /** Opens a session of an older revision, uses it, and leaves every other one open. */
  async #session(server: HttpServer | null): Promise<void> {
    if (server === null) return;
    const params = {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 'soak', version: '1' },
    };
    try {
      const { headers } = await this.#send(server, rpc('initialize', params));
      const session = { 'mcp-session-id': String(headers['mcp-session-id']) };
      await this.#send(server, rpc('tools/list', {}), session);
      if (this.#calls % 2 === 0)
        await sendFrom(server.url, {
          method: 'DELETE',
          headers: { authorization: `Bearer ${this.#token}`, ...session },
        });
      if (server === this.#staying)
        this.callsByKind.set('session', (this.callsByKind.get('session') ?? 0) + 1);
    } catch (error) {
      if (server === this.#staying) this.#failed(`session: ${String(error)}`);
    }
  }

  #script(): Promise<void> {
    if (!sandboxed) return Promise.resolve();
    return this.#call(
      'script',
      this.#staying,
      call('run_script', { skill: 'script', script: 'scripts/count.sh' }),
    );
  }

  /** Changes a skill, adds one, and removes one. */
  async #edit(): Promise<void> {
    this.edits += 1;
    const { edits } = this;
    this.#place.write('skills/edited/SKILL.md', skillFile('edited', `Make report number ${edits}`));
    this.#place.write(`skills/new-${edits}/SKILL.md`, skillFile(`new-${edits}`, `Use tool ${edits}`));
    rmSync(join(this.#place.folder, `skills/new-${edits - 5}`), { recursive: true, force: true });
  }

  /** Another archive, and a token that is valid for a minute. */
  async #exchange(): Promise<void> {
    const files = Array.from({ length: 5 }, (_, at) => ({
      path: `packed-${at}/SKILL.md`,
      bytes: skillFile(`packed-${at}`, `Pack things, as of edit ${this.edits}`),
    }));
    const path = join(this.#place.folder, 'more.tar.gz');
    writeFileSync(`${path}.new`, tarGz(files));
    renameSync(`${path}.new`, path);
    await tokenOf(this.#tokens, `guest-${this.edits}`, new Date(Date.now() + 60_000));
  }

  /** Asks for a large answer, and reads little of it for some seconds. */
  async #readSlowly(): Promise<void> {
    if (this.#staying === null) return;
    const list = await this.#send(this.#staying, rpc('resources/list', {})).catch(() => null);
    const folder = /"(skill:[^"]*\/large)\/SKILL\.md"/.exec(list?.text ?? '')?.[1];
    const body = rpc('resources/read', { uri: `${folder}/references/large.md` });
    const socket = await silent(this.#staying.url, rawPost(body, { authorization: `Bearer ${this.#token}` }));
    for (let read = 0; read < 10 && !this.#over; read++) {
      socket.read(1_024);
      await delay(1_000);
    }
    socket.destroy();
  }

  /** SIGKILL in the middle of whatever it does, then a start on what it left. */
  async #kill(): Promise<void> {
    const before = this.#dying;
    if (before === null) return;
    this.#dying = null;
    await before.end('SIGKILL');
    this.kills += 1;
    const start = performance.now();
    const server = await this.#started();
    this.recoveries.push((performance.now() - start) / 1_000);
    this.#dying = server;
  }

  async #every(ms: number, act: () => Promise<void>): Promise<void> {
    while (!this.#over) {
      for (let waited = 0; waited < ms && !this.#over; waited += 500) await delay(500);
      if (!this.#over) await act();
    }
  }

  async #sampling(): Promise<void> {
    const pid = this.#staying?.pid ?? 0;
    const start = performance.now();
    const idle = monitorEventLoopDelay({ resolution: 10 });
    idle.enable();
    let cpu = cpuOf(pid);
    while (!this.#over) {
      const [calls, searched] = [this.#calls, this.#searches.length];
      for (let waited = 0; waited < SAMPLE_S * 1_000 && !this.#over; waited += 500) await delay(500);
      const status = readFileSync(`/proc/${pid}/status`, 'utf8');
      const field = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1]);
      const times = this.#searches.slice(searched);
      const cpuNow = cpuOf(pid);
      const index = filesBelow(join(this.#place.folder, 'index'));
      if (times.length > 0)
        this.samples.push({
          at: (performance.now() - start) / 60_000,
          residentMB: field('VmRSS') / 1_024,
          descriptors: readdirSync(`/proc/${pid}/fd`).length,
          threads: field('Threads'),
          searchP50: quantile(times, 0.5),
          searchP99: quantile(times, 0.99),
          cpuPerCall: (cpuNow - cpu) / Math.max(1, this.#calls - calls),
          idleP99: idle.percentile(99) / 1e6,
          indexFiles: index.length,
          indexMB: index.reduce((sum, bytes) => sum + bytes, 0) / 2 ** 20,
        });
      cpu = cpuNow;
      idle.reset();
    }
  }
}

/** CPU time of a process so far, ms. */
function cpuOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return ((Number(fields[11]) + Number(fields[12])) * 1_000) / TICKS;
}

/** Sizes of the files of a folder, bytes. One that is removed meanwhile is left out. */
function filesBelow(folder: string): number[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true }).flatMap((entry) => {
    try {
      return entry.isFile() ? [statSync(join(entry.parentPath, entry.name)).size] : [];
    } catch {
      return [];
    }
  });
}

export async function measureSoak(options: SoakOptions): Promise<void> {
  const place = workplace();
  const soak = new Soak(options, place);
  try {
    await soak.run();
  } finally {
    await writeJson(options.out, 'soak.json', {
      machine: machine(),
      ...options,
      kills: soak.kills,
      recoveries: soak.recoveries,
      failures: Object.fromEntries(soak.failures),
      samples: soak.samples,
    });
    place.remove();
  }
  await publish(
    { name: 'soak', title: 'Soak', figures: table(soak), conditions: conditions(options) },
    options.write,
  );
}

const conditions = ({ minutes, killEvery }: SoakOptions) =>
  `${minutes} minutes; one gateway stays and is measured every ${SAMPLE_S} s, another is killed every ${killEvery} s. The first ${WARM_UP_MIN} minutes are left out. Medians of the samples of each third; the slope is a least-squares fit over all samples. "Timers of an idle process" shows how busy the machine was with other work.`;

function table({ samples, kills, edits, recoveries, failures, callsByKind }: Soak): string {
  const warm = samples.filter(({ at }) => at >= WARM_UP_MIN);
  const third = Math.floor(warm.length / 3);
  const row = (name: string, pick: (sample: Sample) => number, digits: number) => {
    const values = warm.map(pick);
    const [first, last] = [quantile(values.slice(0, third), 0.5), quantile(values.slice(-third), 0.5)];
    const slope = 60 * slopeOf(warm.map((sample) => [sample.at, pick(sample)]));
    return [
      ...[name, first.toFixed(digits), last.toFixed(digits), (last / first).toFixed(2)],
      ...[slope.toFixed(digits), Math.max(...values).toFixed(digits)],
    ];
  };
  const figures = columns(
    [
      ['the gateway that stays', 'first third', 'last third', 'ratio', 'slope an hour', 'most'],
      row('resident memory, MB', ({ residentMB }) => residentMB, 0),
      row('open descriptors', ({ descriptors }) => descriptors, 0),
      row('threads', ({ threads }) => threads, 0),
      row('search p50, ms', ({ searchP50 }) => searchP50, 1),
      row('search p99, ms', ({ searchP99 }) => searchP99, 1),
      row('CPU by call, ms', ({ cpuPerCall }) => cpuPerCall, 1),
      row('files of the index', ({ indexFiles }) => indexFiles, 0),
      row('index, MB', ({ indexMB }) => indexMB, 1),
      row('timers of an idle process, p99 ms', ({ idleP99 }) => idleP99, 1),
    ],
    [0],
  );
  const kinds = [...callsByKind].map(([kind, count]) => `${count} ${kind}`).join(', ');
  const broken = [...failures].map(([what, count]) => `${count} × ${what}`);
  return [
    figures,
    '',
    `Calls: ${kinds}. Edits: ${edits}. Kills: ${kills}; first good answer after a start: median ${quantile(recoveries, 0.5).toFixed(1)} s, at most ${Math.max(0, ...recoveries).toFixed(1)} s.`,
    `Answers that should not have come: ${broken.length === 0 ? 'none' : broken.join('; ')}`,
  ].join('\n');
}
