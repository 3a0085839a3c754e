/** Several gateways of the built program that share one catalog. */

import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { post } from '../src/serve/stdio/ask.ts';
import { connected } from './client.ts';
import { examples, type Workplace, workplace } from './command.ts';
import { type HttpServer, serveHttp } from './http-server.ts';

/** A gateway takes seconds to start on a busy machine. */
export const SOON = { interval: 200 };

/** A few of the examples: each gateway indexes them again. */
const SKILLS = [
  'csv-cleaning',
  'database-restore-drill',
  'eingangsrechnung-pruefen',
  'email-deliverability',
  'git-bisect-regression',
  'incident-command',
  'kubernetes-crashloop-triage',
  'postgres-index-tuning',
  'zero-downtime-schema-migration',
];

export function copySkills(place: Workplace): void {
  for (const name of SKILLS)
    cpSync(join(examples, name), join(place.folder, 'skills', name), { recursive: true });
}

/** A place with these skills, and a configuration with that store. */
export function teamPlace(store: Record<string, unknown>): Workplace {
  const place = workplace();
  copySkills(place);
  configure(place, store);
  return place;
}

function configure(place: Workplace, store: Record<string, unknown>, more = {}): void {
  const sources = [{ kind: 'local', name: 'all', root: './skills' }];
  place.write(
    'skillgate.config.json',
    JSON.stringify({ sources, store: { lease: '2s', ...store }, ...more }),
  );
}

/** Gateways share nothing but the store: each has an index and a copy of its own. */
export function gateway(
  place: Pick<Workplace, 'start'>,
  name: string,
  ...args: string[]
): Promise<HttpServer> {
  const own = {
    start: (...all: string[]) => place.start(...all.map((arg) => (arg === 'index' ? `index-${name}` : arg))),
  };
  return serveHttp(own, null, '--set', `store.cache=cache-${name}`, ...args);
}

export async function call({ url }: Pick<HttpServer, 'url'>, name: string, args: Record<string, unknown>) {
  const client = await connected(url);
  try {
    return await client.callTool({ name, arguments: args });
  } finally {
    await client.close();
  }
}

/** The text of the answer. */
export const searched = async (server: Pick<HttpServer, 'url'>, query: string) =>
  JSON.stringify((await call(server, 'search_skills', { query })).content);

/** The same by one plain request, of a client that keeps no session. Rejects with the error of the network. */
export async function searchedOnce(url: string, query: string): Promise<string> {
  const params = { name: 'search_skills', arguments: { query } };
  return (await post(url, JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }))).text;
}

/** What `/readyz` says, and its status; 0 where nothing answers. */
export async function readiness({ url }: Pick<HttpServer, 'url'>): Promise<{ status: number; text: string }> {
  const answer = await fetch(new URL('/readyz', url)).catch(() => null);
  return { status: answer?.status ?? 0, text: (await answer?.text()) ?? '' };
}

export const ready = (server: HttpServer) =>
  expect.poll(async () => (await readiness(server)).status, SOON).toBe(200);
