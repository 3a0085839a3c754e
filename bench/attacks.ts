/**
 * `npm run bench -- attacks`: how long the built server takes to answer /healthz while it is attacked, and how much memory it
 * takes. Each attack of `test/attacks/` that aims at the event loop or at memory runs for some seconds against a server of its
 * own. A process of its own asks /healthz every 10 ms from another address, and in turn an idle server, which shares the machine
 * with the attack and does nothing else: what that one takes is the machine's share.
 */

import { execFileSync, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { skillFile, type Workplace, workplace } from '../test/acceptance/command.ts';
import { type HttpServer, serveHttp } from '../test/acceptance/http-server.ts';
import { startFlipping } from '../test/attacks/flipping.ts';
import {
  type Crowd,
  crowd,
  memoryOf,
  rawPost,
  rpc,
  sendFrom,
  silent,
  tokenOf,
} from '../test/attacks/http-server.ts';
import { quantile } from './evaluation/statistics.ts';
import { columns } from './evaluation/table.ts';
import { machine } from './machine.ts';
import { publish, writeJson } from './results-file.ts';

interface AttacksOptions {
  readonly seconds: number;
  /** Only attacks whose name contains this. */
  readonly only?: string;
  readonly out: string;
  /** The command line for `RESULTS.md`; absent: print only. */
  readonly write?: string;
}

interface Target {
  readonly server: HttpServer;
  readonly place: Workplace;
  readonly tokens: readonly string[];
  /** A read of the largest file that is served. */
  readonly readLarge: string;
  readonly goesOn: () => boolean;
}

interface Figure {
  readonly name: string;
  readonly asked: number;
  readonly p50: number;
  readonly p99: number;
  readonly most: number;
  /** Of the idle server in the same time. */
  readonly idleP99: number;
  readonly idleMost: number;
  readonly failed: number;
  /** Resident memory before, at most, and some seconds after the attack. */
  readonly beforeMB: number;
  readonly peakMB: number;
  readonly afterMB: number;
}

const MIB = 2 ** 20;
/** As large as a file that is answered whole may be. */
const LARGE_BYTES = MIB;
/** Nested lists: the slowest Markdown for its size. */
const HOSTILE_BYTES = 250 * 2 ** 10;
const HOSTILE = '- a\n  - b\n';
const PRINCIPALS = 8;
const AT_A_TIME = 8;
/** Between the end of an attack and the last look at memory, ms. */
const REST_MS = 3_000;

/** Prints its port, and ends with its standard input. */
const IDLE_SERVER = `
const server = require('node:http').createServer((_, response) => response.end('{}'));
server.listen(0, '127.0.0.1', () => process.stdout.write(String(server.address().port)));
process.stdin.on('end', () => process.exit()).resume();
`;

/** Asks both URLs in turn until its standard input ends, then prints the times of each, ms, and how many were not answered. */
const PROBE = `
const urls = process.argv.slice(1);
const took = urls.map(() => []);
let failed = 0;
let over = false;
process.stdin.on('end', () => { over = true; }).resume();
(async () => {
  while (!over) {
    for (const [at, url] of urls.entries()) {
      const start = performance.now();
      const { get } = require(url.startsWith('https:') ? 'node:https' : 'node:http');
      await new Promise((resolve) => get(url, { agent: false, localAddress: '127.0.0.99', rejectUnauthorized: false }, (response) => response.resume().on('end', resolve)).on('error', () => resolve(failed++)));
      took[at].push(performance.now() - start);
    }
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  process.stdout.write(JSON.stringify({ took, failed }));
})();
`;

const RENAMES = `
const { renameSync } = require('node:fs');
const [a, b] = process.argv.slice(2);
process.on('message', () => process.exit());
const round = () => { for (let at = 0; at < 200; at += 1) { renameSync(a, b); renameSync(b, a); } setImmediate(round); };
round();
`;

const as = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });
const call = (name: string, args: object) => rpc('tools/call', { name, arguments: args });

/** Sends the same requests again and again, so many at a time of each principal. */
async function flood(
  { server, tokens, goesOn }: Target,
  body: (round: number) => string,
  atATime = AT_A_TIME,
) {
  await Promise.all(
    tokens.flatMap((token, at) =>
      Array.from({ length: atATime }, async () => {
        for (let round = 0; goesOn(); round++)
          await sendFrom(server.url, { ...as(token), body: body(round), from: `127.0.1.${at + 1}` }).catch(
            () => {},
          );
      }),
    ),
  );
}

/** Opens connections with these bytes and reads nothing. */
async function holdOpen({ server, goesOn }: Target, count: number, text: (at: number) => string) {
  const sockets: Socket[] = [];
  for (let at = 0; at < count && goesOn(); at++)
    sockets.push(await silent(server.url, text(at), '127.0.0.5'));
  while (goesOn()) await delay(50);
  for (const socket of sockets) socket.destroy();
}

/** A byte a second. */
const SLOW_HEADERS = { count: 2_000, text: 'GET /', drip: 'x' };

async function crowds({ server, goesOn }: Target, addresses: number, ...more: Omit<Crowd, 'addresses'>[]) {
  const opened = await Promise.all(
    [{ count: 2_000 }, ...more].map((one) => crowd(server.url, { ...one, addresses })),
  );
  while (goesOn()) await delay(50);
  for (const { end } of opened) await end();
}

/** A skill whose front matter takes a parser longest. */
const COSTLY = `---\n${'a: ['.repeat(16_000)}\n---\nText.\n`;

/** Such skills arrive in a served folder, or in the repository of a git source. */
async function plantCostly({ place, goesOn }: Target, count: number, folder = 'skills') {
  for (let at = 0; at < count; at++) place.write(`${folder}/costly-${at}/SKILL.md`, COSTLY);
  if (folder === REPOSITORY) commitAll(place);
  while (goesOn()) await delay(50);
}

const REPOSITORY = 'repository';
/** Until a repository that is asked every 10 s was fetched and indexed. */
const GIT_SECONDS = 40;

function commitAll({ folder }: Workplace) {
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.org', ...args], {
      cwd: join(folder, REPOSITORY),
    });
  git('init', '--quiet');
  git('add', '--all');
  git('commit', '--quiet', '--message', 'Skills');
}

const ATTACKS: Readonly<Record<string, (target: Target) => Promise<unknown>>> = {
  'nothing (for comparison)': async ({ goesOn }) => {
    while (goesOn()) await delay(50);
  },
  'searches without end, 8 principals': (target) =>
    flood(target, (round) => call('search_skills', { query: `make a report ${round}` })),
  'reads of a file of 1 MiB, 8 principals': (target) => flood(target, () => target.readLarge),
  'loads of 250 KiB of hostile Markdown': (target) =>
    flood(target, () => call('load_skill', { skill: 'hostile' })),
  'answers of 1 MiB that nobody reads': (target) =>
    holdOpen(target, 60, (at) =>
      rawPost(target.readLarge, as(target.tokens[at % PRINCIPALS] ?? '').headers).repeat(4),
    ),
  '2,000 silent and 2,000 slow connections, 1 address': (target) => crowds(target, 1, SLOW_HEADERS),
  '2,000 silent and 2,000 slow connections, 40 addresses': (target) => crowds(target, 40, SLOW_HEADERS),
  'paths of 20,000 segments': (target) =>
    flood(target, () => call('read_reference', { skill: 'large', path: 'a/../'.repeat(20_000) })),
  'batches of 500 calls': (target) =>
    flood(target, () => `[${Array.from({ length: 500 }, (_, id) => rpc('ping', {}, id)).join(',')}]`, 2),
  'JSON of 100,000 levels': (target) => flood(target, () => '['.repeat(100_000)),
  'tokens that are none': ({ server, goesOn }) =>
    Promise.all(
      Array.from({ length: 64 }, async () => {
        while (goesOn())
          await sendFrom(server.url, { ...as('no'.repeat(20)), body: '{}', from: '127.0.0.6' }).catch(
            () => {},
          );
      }),
    ),
  'links that flip under readers': async (target) => {
    const path = join(target.place.folder, 'skills/flip/references/x.md');
    const flipping = startFlipping([{ path, targets: ['/proc/self/environ'] }]);
    await flood(target, () => call('read_reference', { skill: 'flip', path: 'references/x.md' }), 1);
    await flipping.end();
  },
  'renames in a watched folder': async ({ place, goesOn }) => {
    const program = join(place.folder, 'renames.cjs');
    writeFileSync(program, RENAMES);
    const child = fork(
      program,
      ['flip', 'other'].map((name) => join(place.folder, 'skills', name)),
    );
    while (goesOn()) await delay(50);
    child.kill();
    await once(child, 'exit');
  },
  '60 new skills with 64 KiB of `a: [` as front matter': (target) => plantCostly(target, 60),
  '300 such skills': (target) => plantCostly(target, 300),
  '3,000 such skills': (target) => plantCostly(target, 3_000),
  '60 such skills by git': (target) => plantCostly(target, 60, REPOSITORY),
  '300 such skills by git': (target) => plantCostly(target, 300, REPOSITORY),
  '3,000 such skills by git': (target) => plantCostly(target, 3_000, REPOSITORY),
};

export async function measureAttacks({ seconds, only = '', out, write }: AttacksOptions): Promise<void> {
  const figures: Figure[] = [];
  for (const [name, attack] of Object.entries(ATTACKS)) {
    if (!name.includes(only)) continue;
    figures.push(await measure(name, attack, seconds));
    process.stderr.write(`${name}: p99 ${figures.at(-1)?.p99.toFixed(1)} ms\n`);
  }
  await writeJson(out, 'attacks.json', { machine: machine(), seconds, figures });
  const conditions = `${seconds} s each against a server of its own; attackers, server and probe share the machine. /healthz is asked every 10 ms by a process of its own, and in turn a bare idle server: its times are the machine's share.`;
  await publish({ name: 'under-attack', title: 'Under attack', figures: table(figures), conditions }, write);
}

async function measure(
  name: string,
  attack: (target: Target) => Promise<unknown>,
  seconds: number,
): Promise<Figure> {
  const place = workplace();
  const file = join(place.folder, 'tokens.json');
  const tokens = await Promise.all(Array.from({ length: PRINCIPALS }, (_, at) => tokenOf(file, `p${at}`)));
  place.write('skills/large/SKILL.md', skillFile('large', 'Read a large file'));
  place.write('skills/large/references/large.md', 'all work and no play\n'.repeat(LARGE_BYTES / 21));
  // What the index does with it is not the attack: it is indexed before the measurement.
  place.write(
    'skills/hostile/SKILL.md',
    skillFile('hostile', 'Make lists', HOSTILE.repeat(HOSTILE_BYTES / HOSTILE.length)),
  );
  place.write('skills/flip/SKILL.md', skillFile('flip', 'Make a report'));
  place.write('skills/flip/references/x.md', 'Own words.\n');
  for (let part = 0; part < 100; part++) mkdirSync(join(place.folder, `skills/flip/part-${part}`));
  const byGit = name.endsWith('by git');
  if (byGit) {
    place.write(`${REPOSITORY}/plain/SKILL.md`, skillFile('plain', 'Write plainly'));
    commitAll(place);
  }
  const config = {
    sources: [
      { kind: 'local', root: './skills' },
      ...(byGit ? [{ kind: 'git', name: 'repository', url: join(place.folder, REPOSITORY) }] : []),
    ],
    refresh: '10s',
    auth: { tokens: 'tokens.json' },
    policy: { rules: [{ who: ['*'], allow: [{}] }] },
  };
  place.write('skillgate.config.json', JSON.stringify(config));
  const server = await serveHttp(place, null);
  try {
    const readLarge = await readOfLarge(server, tokens[0] ?? '');
    const beforeMB = memoryOf(server.pid);
    // Peaks count from here: proc(5), clear_refs.
    writeFileSync(`/proc/${server.pid}/clear_refs`, '5');
    const idle = spawn(process.execPath, ['-e', IDLE_SERVER], { stdio: ['pipe', 'pipe', 'inherit'] });
    const [port] = await once(idle.stdout, 'data');
    const urls = [new URL('/healthz', server.url).href, `http://127.0.0.1:${port}/`];
    const probe = spawn(process.execPath, ['-e', PROBE, ...urls], { stdio: ['pipe', 'pipe', 'inherit'] });
    let said = '';
    probe.stdout.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
    const end = performance.now() + (byGit ? Math.max(seconds, GIT_SECONDS) : seconds) * 1_000;
    await attack({ server, place, tokens, readLarge, goesOn: () => performance.now() < end });
    probe.stdin.end();
    await once(probe, 'close');
    idle.stdin.end();
    const answers = JSON.parse(said) as { readonly took: number[][]; readonly failed: number };
    const [took = [], idleTook = []] = answers.took;
    const peakMB =
      Number(/^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${server.pid}/status`, 'utf8'))?.[1]) / 1_024;
    await delay(REST_MS);
    return {
      name,
      asked: took.length,
      p50: quantile(took, 0.5),
      p99: quantile(took, 0.99),
      most: Math.max(...took),
      idleP99: quantile(idleTook, 0.99),
      idleMost: Math.max(...idleTook),
      failed: answers.failed,
      beforeMB,
      peakMB,
      afterMB: memoryOf(server.pid),
    };
  } finally {
    await server.end();
    place.remove();
  }
}

async function readOfLarge(server: HttpServer, token: string): Promise<string> {
  for (;;) {
    const { text } = await sendFrom(server.url, { ...as(token), body: rpc('resources/list', {}) });
    const folder = /"(skill:[^"]*\/large)\/SKILL\.md"/.exec(text)?.[1];
    if (folder !== undefined) return rpc('resources/read', { uri: `${folder}/references/large.md` });
    // The index is not there yet.
    await delay(300);
  }
}

function table(figures: readonly Figure[]): string {
  const rows = figures.map((figure) => [
    ...[figure.name, String(figure.asked), String(figure.failed)],
    ...[figure.p50.toFixed(1), figure.p99.toFixed(1), figure.most.toFixed(0)],
    ...[figure.idleP99.toFixed(1), figure.idleMost.toFixed(0)],
    ...[figure.beforeMB, figure.peakMB, figure.afterMB].map((size) => size.toFixed(0)),
  ]);
  const head = ['asked', 'failed', 'p50 ms', 'p99 ms', 'max ms', 'idle server p99', 'max'];
  head.push('MB before', 'peak', 'after');
  return columns([['/healthz under attack', ...head], ...rows]);
}
