/** Promise: a file that is held is served while the store is away; another one fails at once, where the store would not answer. */

import { expect, it } from 'vitest';
import { SkillCache } from '../../../extensions/postgres/skill-cache.ts';
import { MemoryState, MemoryStore } from './memory-store.ts';
import { objectOf } from './objects.ts';

it('serves what is held, and fails at once for what is not', async () => {
  const store = new MemoryStore(new MemoryState());
  for (const digest of ['held', 'other']) {
    const { chunks, ...object } = objectOf(digest);
    await store.addObjects([{ ...object, chunks }]);
    await store.addSkills([{ digest, files: [{ path: 'SKILL.md', kind: 'skill', ...object }] }]);
  }
  let isAway = false;
  const never = new Promise<never>(() => {});
  const cache = new SkillCache(
    {
      skill: (digest) => (isAway ? never : store.skill(digest)),
      fetch: (object, write) => (isAway ? never : store.fetch(object, write)),
    },
    { maxBytes: 1_000, isAway: () => isAway },
  );
  const load = async (digest: string) => {
    const [file] = await cache.filesOf({ digest });
    return Buffer.from((await file!.bytes())!).toString();
  };
  expect(await load('held')).toBe('held');
  const [listed] = await cache.filesOf({ digest: 'other' });
  isAway = true;
  expect(await load('held')).toBe('held');
  await expect(listed!.bytes()).rejects.toMatchObject({ code: 'STORE_UNREACHABLE' });
  await expect(load('another')).rejects.toMatchObject({ code: 'STORE_UNREACHABLE' });
});
