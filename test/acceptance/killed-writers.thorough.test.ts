/**
 * Promise: no change is lost when the gateway that writes is killed or stopped, at whatever moment of a publication. Three gateways
 * that read one folder, searches at each all the time. Needs a PostgreSQL server.
 */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { connect } from '../../extensions/postgres/database/connect.ts';
import { PostgresStore } from '../../extensions/postgres/database/postgres-store.ts';
import { entriesOf } from '../../extensions/postgres/publish.ts';
import { pull } from '../../extensions/postgres/pull.ts';
import { memoryDirectory } from '../../index/directory/memory.ts';
import { digestFiles, hashBytes } from '../../src/skills/digest.ts';
import { type PostgresServer, postgresServer, serverPrograms } from '../postgres.ts';
import { type TcpProxy, tcpProxy } from '../tcp-proxy.ts';
import { examples, skillFile, type Workplace } from './command.ts';
import { gateway, readiness, ready, SOON, searchedOnce, teamPlace } from './gateways.ts';
import type { HttpServer } from './http-server.ts';

/** `SKILLGATE_STORE_KILLS=40`, by hand, takes some five minutes on two idle cores. */
const KILLS = Number(process.env.SKILLGATE_STORE_KILLS ?? 6);
const SKILLS = Number(process.env.SKILLGATE_STORE_SKILLS ?? 200);
/** The default is 6 s, and measures what docs/scale.md says; a shorter one saves the test its time. */
const LEASE = process.env.SKILLGATE_STORE_LEASE ?? '2s';
/** One that is handed on is never waited for. */
const UNENDING_LEASE = '10m';
/** Skills of each change, and changes without a kill. */
const CHANGED = 100;
const UNDISTURBED = 5;
/** A change that is not found after this time is lost. */
const LOST_MS = 180_000;
/** Most messages of a publication, and longest wait for the one at which the writer is killed, ms. */
const MESSAGES = 16;
const PATIENCE_MS = 4_000;
/** Statements of a publication, in any of its phases. */
const PUBLISHING =
  /(insert into|update) \w+\.(object|chunk|skill|skill_object|generation|generation_file) |commit|for update|pg_notify/;

interface Member {
  readonly name: string;
  readonly proxy: TcpProxy;
  server: HttpServer | null;
}

let place: Workplace;

const bodies = readdirSync(examples).map((name) =>
  readFileSync(join(examples, name, 'SKILL.md'), 'utf8').replace(/^---[\s\S]*?\n---\n/, ''),
);
const nameOf = (at: number) => `skill-${at}`;
const write = (at: number, description: string) =>
  place.write(
    `skills/${nameOf(at)}/SKILL.md`,
    skillFile(nameOf(at), description, bodies[at % bodies.length]),
  );

/** Changes some skills; the description of each has the returned word. */
let words = 0;
function change(): string {
  words += 1;
  const word = `zorb${words}lax`;
  const first = Math.floor(Math.random() * SKILLS);
  for (let at = first; at < first + CHANGED; at += 1)
    write(at % SKILLS, `Marked ${word} by hand, number ${at}`);
  return word;
}

/** Milliseconds until each of these gateways finds the word; null for one that does not. */
async function found(
  word: string,
  by: readonly Pick<Member, 'server'>[],
  since: number,
): Promise<(number | null)[]> {
  return Promise.all(
    by.map(async ({ server }) => {
      while (performance.now() < since + LOST_MS) {
        const text = await searchedOnce(server!.url, `Marked ${word} by hand`).catch(() => '');
        if (text.includes(`Marked ${word} by hand,`)) return performance.now() - since;
        await sleep(100);
      }
      return null;
    }),
  );
}

describe.skipIf(serverPrograms() === null)('three gateways of one database', () => {
  let postgres: PostgresServer;
  let members: Member[] = [];
  beforeAll(async () => {
    postgres = await postgresServer();
  });
  afterEach(async () => {
    for (const { server, proxy } of members.splice(0)) {
      await server?.end('SIGKILL');
      await proxy.close();
    }
    await postgres.query('drop schema if exists skillgate cascade');
  });
  afterAll(() => postgres.remove());

  async function start(member: Member): Promise<void> {
    const url = member.proxy.through(postgres.url);
    member.server = await gateway(place, member.name, '--set', `store.url=${url}`);
  }

  async function writer(): Promise<Member> {
    let found: Member | undefined;
    await expect
      .poll(async () => {
        const [lease] = await postgres.query<{ holder: string }>(
          'select holder from skillgate.lease where expires_at > clock_timestamp()',
        );
        found = members.find(({ server }) => server?.pid === Number(lease?.holder.split(':')[1]));
        return found;
      }, SOON)
      .toBeDefined();
    return found!;
  }

  /** Ends the writer at a random message of its publication; resolves with the time. One that is killed may lose that message. */
  async function ended(member: Member, signal: 'SIGKILL' | 'SIGTERM'): Promise<number> {
    const server = member.server!;
    const at = 1 + Math.floor(Math.random() * MESSAGES);
    const isKilled = signal === 'SIGKILL';
    const isLost = isKilled && Math.random() < 0.5;
    let sent = 0;
    const endedAt = await new Promise<number>((resolve) => {
      let isEnded = false;
      const end = () => {
        if (isEnded) return;
        isEnded = true;
        clearTimeout(timer);
        member.server = null;
        process.kill(server.pid, signal);
        resolve(performance.now());
      };
      const timer = setTimeout(end, PATIENCE_MS);
      member.proxy.onSent((bytes) => {
        if (isEnded) return !isKilled;
        if (PUBLISHING.test(bytes.toString('latin1'))) sent += 1;
        if (sent < at) return true;
        end();
        return !isLost;
      });
    });
    const finished = server.finished.then(() => member.proxy.onSent(() => true));
    if (isKilled) await finished;
    return endedAt;
  }

  /** Ids of skills of which the published index has another text than the folder. */
  async function differing(): Promise<string[]> {
    const store = new PostgresStore(
      connect({ url: postgres.url, connections: 2, timeoutMs: 20_000 }),
      'skillgate',
    );
    const directory = memoryDirectory();
    await pull(store, (await store.status()).lines[0]!.line, directory);
    await store.close();
    const published = new Map(entriesOf(directory).map(({ id, digest }) => [id, digest]));
    return Array.from({ length: SKILLS }, (_, at) => nameOf(at)).filter((name) => {
      const sha256 = hashBytes(readFileSync(join(place.folder, 'skills', name, 'SKILL.md')));
      return published.get(name) !== digestFiles([{ path: 'SKILL.md', sha256 }]);
    });
  }

  it.each(['SIGKILL', 'SIGTERM'] as const)(
    'lose no change when the one that writes gets %s, and serve each soon',
    async (signal) => {
      const lease = signal === 'SIGTERM' ? UNENDING_LEASE : LEASE;
      place = teamPlace({ url: postgres.url, lease, shares: ['audit'] });
      for (let at = 0; at < SKILLS; at += 1) write(at, `Does number ${at}`);
      expect((await place.run('store', 'init')).stderr).toBe('');
      for (const name of ['a', 'b', 'c']) {
        const member: Member = { name, proxy: await tcpProxy(postgres.port), server: null };
        members = [...members, member];
        await start(member);
        await ready(member.server!);
      }
      let isOver = false;
      const failures: unknown[] = [];
      const clients = members.map(async (member) => {
        while (!isOver) {
          const { server } = member;
          if (server !== null)
            await searchedOnce(server.url, 'our mails land in the junk folder').catch((error: unknown) => {
              if (member.server === server) failures.push(error);
            });
          await sleep(100);
        }
      });
      const alone: (number | null)[] = [];
      const afterEnd: (number | null)[] = [];
      let handedOn = 0;
      await writer();
      for (let round = 0; round < UNDISTURBED; round += 1)
        alone.push(...(await found(change(), members, performance.now())));
      for (let round = 0; round < KILLS; round += 1) {
        const dying = await writer();
        const word = change();
        const old = dying.server!;
        const endedAt = await ended(dying, signal);
        const others = members.filter((member) => member !== dying);
        afterEnd.push(...(await found(word, others, endedAt)));
        if ((await old.finished).stderr.includes('The shared catalog is left to another writer.'))
          handedOn += 1;
        await start(dying);
        await ready(dying.server!);
      }
      isOver = true;
      await Promise.all(clients);
      const lost = afterEnd.filter((ms) => ms === null).length;
      console.info(`${KILLS} times ${signal}, ${lost} lost, ${SKILLS} skills, lease ${lease}.`);
      console.info('Found by all, ms after the change without a signal, then after the signal:');
      console.info([summaryOf(alone), summaryOf(afterEnd)]);
      expect(lost + alone.filter((ms) => ms === null).length).toBe(0);
      expect(handedOn).toBe(signal === 'SIGTERM' ? KILLS : 0);
      expect(failures).toEqual([]);
      await expect.poll(differing, SOON).toEqual([]);
      // The last writer may still look at what it took over.
      const last = (await writer()).server!;
      await expect
        .poll(async () => JSON.parse((await readiness(last)).text).changes, SOON)
        .toMatchObject({ pending: 0, pending_seconds: 0 });
    },
    600_000 + KILLS * 60_000,
  );
});

function summaryOf(times: readonly (number | null)[]) {
  const sorted = times.map((ms) => Math.round(ms ?? LOST_MS)).sort((a, b) => a - b);
  return { median: sorted[Math.floor(sorted.length / 2)], worst: sorted.at(-1) };
}
