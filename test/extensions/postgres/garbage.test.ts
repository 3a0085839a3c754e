/** Promise: a store that a gateway writes holds at most three times what is live, and nothing that a gateway needs is removed. */

import { expect, it } from 'vitest';
import { collectGarbage } from '../../../extensions/postgres/gateway/garbage.ts';
import { MemoryState, MemoryStore } from './memory-store.ts';
import { objectOf } from './objects.ts';

const LINE = 'line';
const LIVE = 'live skill';
const DAY_MS = 86_400_000;

/** Changes a catalog of `kept` bytes, each time by a new segment of `added` and a new file, and returns the most that the store held. */
async function grown({ kept, added, line = LINE }: { kept: number; added: number; line?: string }) {
  let now = 0;
  const store = new MemoryStore(new MemoryState(() => now));
  const lease = (await store.acquire(LINE, 'writer', Number.MAX_SAFE_INTEGER))!;
  let version: number | null = null;
  const skillOf = async (digest: string) => {
    const file = objectOf(digest);
    await store.addObjects([file]);
    const { sha256, size } = file;
    await store.addSkills([{ digest, files: [{ path: 'SKILL.md', size, kind: 'skill', sha256 }] }]);
  };
  await skillOf(LIVE);
  const whole = objectOf('w'.repeat(kept));
  const publish = async (at: number) => {
    const segment = objectOf(String(at).padEnd(added, 's'));
    await store.addObjects([whole, segment]);
    await skillOf(`changed ${at}`);
    const files = [whole, segment].map(({ sha256, size }, number) => ({
      name: `${number}.segment`,
      sha256,
      size,
    }));
    version = (await store.publish(lease, version, { generation: at, files })).version;
  };
  let changes = 0;
  let most = 0;
  const ending = new AbortController();
  const logged: string[] = [];
  await collectGarbage(
    {
      store,
      line,
      live: async () => [LIVE, `changed ${changes}`],
      log: (message) => logged.push(message),
      purgeMs: DAY_MS,
      now: () => now,
      // Four changes between two looks.
      async wait(ms) {
        for (let change = 0; change < 4; change += 1) {
          changes += 1;
          now += ms / 4;
          await publish(changes);
        }
        most = Math.max(most, (await store.status()).bytes);
        if (changes === 400) ending.abort();
      },
    },
    ending.signal,
  );
  return { store, most, logged };
}

it('grows no further than three times what is live, whatever the number of changes', async () => {
  const { store, most, logged } = await grown({ kept: 1_000, added: 100 });
  expect(most).toBeLessThan(3 * 1_100);
  expect(await store.skill(LIVE)).not.toBeNull();
  expect(await store.skill('changed 400')).not.toBeNull();
  expect(await store.skill('changed 1')).toBeNull();
  expect(logged).toEqual([]);
});

it('removes no skill while another version has a line of its own', async () => {
  const { store } = await grown({ kept: 1_000, added: 100, line: 'another line' });
  expect(await store.skill('changed 1')).not.toBeNull();
});

it('removes what was replaced in time, also from a store that does not grow', async () => {
  let now = 0;
  const store = new MemoryStore(new MemoryState(() => now));
  const lease = (await store.acquire(LINE, 'writer', Number.MAX_SAFE_INTEGER))!;
  const files = ['whole', 'small', 'smaller'].map((text) => ({ name: text, ...objectOf(text.repeat(9)) }));
  await store.addObjects(files);
  await store.publish(lease, null, { generation: 1, files });
  await store.publish(lease, 1, { generation: 2, files: files.slice(0, 2) });
  const ending = new AbortController();
  await collectGarbage(
    {
      store,
      line: LINE,
      live: async () => [],
      log: () => {},
      purgeMs: DAY_MS,
      now: () => now,
      async wait(ms) {
        now += ms;
        if (now > 2 * ms)
          await store.publish(lease, 2, { generation: 3, files: files.slice(0, 1) }).catch(() => {});
        if (now > DAY_MS / 2) ending.abort();
      },
    },
    ending.signal,
  );
  expect(await store.hasObjects(files.map(({ sha256 }) => sha256))).toEqual(new Set([files[0]!.sha256]));
});
