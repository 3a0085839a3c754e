/**
 * Promise: while gateways are cut off, stalled, killed and replaced by another version, at the same time, no search fails but at a gateway
 * that has ended or says that its rights are too old, and none is answered under rights older than `store.maxStaleRights`. Needs a
 * PostgreSQL server.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { postgresServer, serverPrograms } from '../postgres.ts';
import { post } from '../src/serve/stdio/ask.ts';
import { tcpProxy } from '../tcp-proxy.ts';
import { skillFile, workplace } from './command.ts';
import { gateway, ready, SOON } from './gateways.ts';
import type { HttpServer } from './http-server.ts';
import { nextVersion } from './next-version.ts';

/**
 * How long faults go on: `SKILLGATE_FAULT_SECONDS=600`, by hand on a machine with nothing else to do. Beside other tests a gateway may be
 * slower than its time limits allow for.
 */
const SECONDS = Number(process.env.SKILLGATE_FAULT_SECONDS ?? 0);
const MAX_STALE_MS = 6_000;
/** Each policy hides one of these skills. A whole round takes much longer than rights hold, so an answer tells which policy it is of. */
const ROUND = 6;
const POLICY_MS = 4_000;
/** Longest time of a fault, ms. */
const FAULT_MS = 12_000;
/** Time after a fault in which a gateway may still refuse, ms: until it is connected again. */
const RECOVERY_MS = 6_000;

const search = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name: 'search_skills', arguments: { query: 'rotate the marked pegs', top_k: 20 } },
});

interface Member {
  readonly name: string;
  readonly proxy: Awaited<ReturnType<typeof tcpProxy>>;
  server: HttpServer | null;
  isNext: boolean;
  /** Until when it may refuse or be gone. */
  faultUntil: number;
}

describe.skipIf(serverPrograms() === null || SECONDS === 0)('three gateways', () => {
  it('keep their promises under all faults at once', { timeout: SECONDS * 1_000 + 240_000 }, async () => {
    const postgres = await postgresServer();
    const place = workplace();
    const next = nextVersion();
    const write = (number: number, word: string) =>
      place.write(
        `skills/peg-${number}/SKILL.md`,
        skillFile(`peg-${number}`, `Rotate the marked pegs ${word}`),
      );
    for (let number = 0; number < ROUND; number += 1) write(number, 'first');
    const configure = (hidden: number) =>
      place.write(
        'skillgate.config.json',
        JSON.stringify({
          sources: [{ kind: 'local', name: 'all', root: './skills' }],
          policy: {
            disabled: [`all:peg-${hidden}`],
            rules: [{ who: ['*'], allow: [{}], callsPerMinute: 1e6 }],
          },
          store: {
            url: postgres.url,
            shares: ['tokens', 'policy'],
            lease: '2s',
            maxStaleRights: `${MAX_STALE_MS}ms`,
          },
        }),
      );
    const members: Member[] = [];
    const policies: { readonly hidden: number; readonly from: number; until: number }[] = [];
    const wrong: string[] = [];
    const counts = { answers: 0, refusals: 0, cut: 0, stall: 0, kill: 0, upgrade: 0 };
    let isOver = false;
    try {
      configure(0);
      for (const args of [['init'], ['policy']])
        expect(await place.run('store', ...args)).toMatchObject({ code: 0 });
      policies.push({ hidden: 0, from: performance.now(), until: Number.POSITIVE_INFINITY });
      const token = (await place.run('token', 'create', 'alice')).stdout.trim();

      const start = async (member: Member) => {
        const own = member.isNext
          ? { start: (...args: string[]) => place.startOther(next, ...args) }
          : { start: place.start };
        const url = member.proxy.through(postgres.url);
        const name = `${member.name}-${member.isNext ? 'next' : 'this'}`;
        const server = await gateway(own, name, '--set', `store.url=${url}`);
        await ready(server);
        member.server = server;
      };
      for (const name of ['a', 'b', 'c']) {
        const proxy = await tcpProxy(postgres.port);
        members.push({ name, proxy, server: null, isNext: false, faultUntil: 0 });
      }
      for (const member of members) await start(member);

      /** Which of the policies an answer is of; undefined where it shows another number of skills. */
      const policyOf = (text: string, answeredAt: number) => {
        const missing = Array.from({ length: ROUND }, (_, at) => at).filter(
          (at) => !text.includes(`peg-${at}`),
        );
        if (missing.length !== 1) return undefined;
        return policies.findLast(({ hidden, from }) => hidden === missing[0] && from < answeredAt);
      };
      const ask = async (member: Member) => {
        const { server } = member;
        if (server === null) return void (await sleep(50));
        const askedAt = performance.now();
        const isExcused = () => member.server !== server || askedAt < member.faultUntil;
        try {
          const { status, text } = await post(server.url, search, { authorization: `Bearer ${token}` });
          // Rights may grow too old between the admission of a call and its work: it is then refused as a result.
          if (status !== 200 || text.includes('RIGHTS_UNKNOWN')) {
            counts.refusals += 1;
            if (!isExcused()) wrong.push(`${member.name} ${status} ${text.slice(0, 200)}`);
            return;
          }
          counts.answers += 1;
          const policy = policyOf(text, performance.now());
          if (policy === undefined) wrong.push(`${member.name} answers ${text.slice(0, 300)}`);
          else if (askedAt - policy.until > MAX_STALE_MS)
            wrong.push(
              `${member.name} answers by a policy that was replaced ${askedAt - policy.until} ms before`,
            );
        } catch (error) {
          if (!isExcused()) wrong.push(`${member.name} ${error}`);
        }
      };
      const asking = members.map(async (member) => {
        while (!isOver) {
          await ask(member);
          await sleep(30);
        }
      });
      const publishing = (async () => {
        for (let version = 1; !isOver; version += 1) {
          const hidden = version % ROUND;
          configure(hidden);
          const from = performance.now();
          expect(await place.run('store', 'policy')).toMatchObject({ code: 0 });
          policies.at(-1)!.until = performance.now();
          policies.push({ hidden, from, until: Number.POSITIVE_INFINITY });
          write(version % ROUND, `after ${version}`);
          await sleep(POLICY_MS);
        }
      })();

      const replace = async (member: Member, signal: NodeJS.Signals) => {
        const { server } = member;
        member.server = null;
        await server?.end(signal);
        if (signal === 'SIGTERM') member.isNext = !member.isNext;
        await start(member);
      };
      const fault = async (member: Member) => {
        const kinds = ['cut', 'stall', 'kill', 'upgrade'] as const;
        const kind = kinds[Math.floor(Math.random() * kinds.length)]!;
        counts[kind] += 1;
        if (kind === 'kill') return replace(member, 'SIGKILL');
        if (kind === 'upgrade') return replace(member, 'SIGTERM');
        member.faultUntil = Number.POSITIVE_INFINITY;
        member.proxy[kind]();
        await sleep(Math.random() * FAULT_MS);
        member.proxy.pass();
        member.faultUntil = performance.now() + RECOVERY_MS;
      };
      const end = performance.now() + SECONDS * 1_000;
      const faults = members.map(async (member, at) => {
        await sleep(at * 1_000);
        while (performance.now() < end) {
          await fault(member);
          await sleep(RECOVERY_MS + Math.random() * 2_000);
        }
      });
      await Promise.all(faults);
      isOver = true;
      await Promise.all([...asking, publishing]);
      console.info(`${SECONDS} s of faults:`, counts);
      expect(wrong).toEqual([]);
      expect(counts.answers).toBeGreaterThan(100);
      // Nothing was lost: a last change is found by all.
      configure(0);
      expect(await place.run('store', 'policy')).toMatchObject({ code: 0 });
      write(1, 'zorblax at last');
      for (const { server } of members)
        await expect
          .poll(
            async () => (await post(server!.url, search, { authorization: `Bearer ${token}` })).text,
            SOON,
          )
          .toContain('zorblax');
    } finally {
      isOver = true;
      for (const { server, proxy } of members) {
        await server?.end('SIGKILL');
        await proxy.close();
      }
      await postgres.remove();
      place.remove();
    }
  });
});
