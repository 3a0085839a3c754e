/** Child process of `size.ts` for one peer: `node --import tsx run.ts <name> <corpus> [judged]`. Prints its figures. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { withScratchFolder } from '../../paths.ts';
import type { PeerFigures } from '../figures.ts';
import { latencyOf } from '../processes.ts';
import { PEERS } from './all.ts';
import { type Card, NotInstalled, type Peer, type PeerQuery, TOP } from './peer.ts';

/** Longest time for the searches of a peer, ms. */
const SEARCH_MS = 8_000;
const MAX_SEARCHES = 1_000;
const WARM_UP = 20;

const [name, source, more] = process.argv.slice(2);
/** Whether to print the first hit of every query, too. */
const judged = more === 'judged';
const peer = PEERS.find((one) => one.name === name);
if (peer === undefined || source === undefined) throw new Error('run.ts <name> <corpus>');

// Written by `in-process.ts`.
const cards = readFileSync(join(source, 'cards.jsonl'), 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => JSON.parse(line) as Card);
const bytes = readFileSync(join(source, 'vectors.f32'));
const vectors = new Float32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 4);
const queries = JSON.parse(readFileSync(join(source, 'queries.json'), 'utf8')) as PeerQuery[];

try {
  process.stdout.write(JSON.stringify(await withScratchFolder((folder) => figuresOf(peer, folder))));
} finally {
  await peer.end?.();
}

async function figuresOf(peer: Peer, folder: string): Promise<PeerFigures> {
  if (peer.maxSkills !== undefined && cards.length > peer.maxSkills)
    return { name: peer.name, skipped: `too slow beyond ${peer.maxSkills} skills` };
  const started = performance.now();
  let search: Awaited<ReturnType<typeof peer.build>>;
  try {
    search = await peer.build({ cards, vectors, dimensions: vectors.length / cards.length, folder });
  } catch (error) {
    if (error instanceof NotInstalled) return { name: peer.name, skipped: `not installed: ${error.message}` };
    if (!isNotInstalled(error)) throw error;
    return { name: peer.name, skipped: 'not installed: npm install --prefix bench/peers' };
  }
  const buildMs = performance.now() - started;
  const times: number[] = [];
  const begun = performance.now();
  // A slow peer gets fewer warm-up searches. At least one search is timed.
  const isWarm = (count: number, now: number) => count >= WARM_UP || now - begun > SEARCH_MS / 2;
  const hasTime = () => performance.now() - begun < SEARCH_MS || times.length === 0;
  for (let count = 0; count < WARM_UP + MAX_SEARCHES && hasTime(); count++) {
    const start = performance.now();
    const found = await search(queries[count % queries.length]!);
    if (found.length > TOP) throw new Error(`${peer.name} found ${found.length} skills instead of ${TOP}.`);
    if (isWarm(count, start)) times.push(performance.now() - start);
  }
  const bytes = peer.bytes?.() ?? process.memoryUsage.rss();
  const figures = { name: peer.name, buildMs, search: latencyOf(times), bytes };
  if (!judged) return figures;
  const first: string[] = [];
  for (const query of queries) first.push((await search(query))[0] ?? '');
  return { ...figures, first };
}

function isNotInstalled(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'MODULE_NOT_FOUND';
}
