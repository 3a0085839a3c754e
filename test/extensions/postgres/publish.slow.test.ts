/** Promise: a published skill can be loaded, also if its folder changes while its index is published. */

import { beforeEach, describe, expect, it } from 'vitest';
import type { IndexStore, Lease } from '../../../extensions/postgres/index-store.ts';
import { entriesOf, liveSkillsIn, Publisher } from '../../../extensions/postgres/publish.ts';
import { skill, testLibrary } from '../../src/gateway/test-library.ts';
import { add } from '../../src/sources/scan/tree.ts';
import { MemoryState, MemoryStore } from './memory-store.ts';

const WAITS = 3;

describe('a publication while a skill changes', () => {
  let store: IndexStore;
  let lease: Lease;
  beforeEach(async () => {
    store = new MemoryStore(new MemoryState());
    lease = (await store.acquire('line', 'a', 60_000))!;
  });

  async function setUp() {
    const place = testLibrary({ 'tea/SKILL.md': skill('tea', 'Brews tea') });
    const publisher = new Publisher({
      store,
      directory: place.directory,
      filesOf: (entry) => place.library.filesOf(entry),
      waits: WAITS,
    });
    const index = async (description: string) => {
      add(place.root, { 'tea/SKILL.md': skill('tea', description) });
      await place.library.update();
    };
    await place.library.update();
    const digest = () => entriesOf(place.directory)[0]!.digest;
    return { ...place, publisher, index, digest };
  }

  it('adds the skills that count as live', async () => {
    const { publisher, library } = await setUp();
    await publisher.publish(lease);
    const live = await liveSkillsIn((await library.current()).reader);
    expect(live).toHaveLength(1);
    expect(await store.hasSkills(live)).toEqual(new Set(live));
  });

  it('waits until the change is indexed, while the generation before stays', async () => {
    const { root, publisher, index } = await setUp();
    const first = await publisher.publish(lease);
    await index('Brews green tea');
    add(root, { 'tea/SKILL.md': skill('tea', 'Brews black tea') });
    expect(await publisher.publish(lease)).toEqual(first);
    expect(await store.newest('line')).toEqual(first);
    await index('Brews black tea');
    const next = await publisher.publish(lease);
    expect(next!.generation).toBeGreaterThan(first!.generation);
  });

  it('does not wait for ever, nor where nothing is published yet', async () => {
    const { root, publisher, index } = await setUp();
    add(root, { 'tea/SKILL.md': skill('tea', 'Brews white tea') });
    const first = await publisher.publish(lease);
    expect(first).not.toBeNull();
    await index('Brews green tea');
    add(root, { 'tea/SKILL.md': skill('tea', 'Brews black tea') });
    for (let wait = 0; wait < WAITS; wait += 1) expect(await publisher.publish(lease)).toEqual(first);
    expect((await publisher.publish(lease))!.generation).toBeGreaterThan(first!.generation);
  });

  it('adds the files once they are again as they were indexed', async () => {
    const { root, publisher, index, digest } = await setUp();
    await publisher.publish(lease);
    await index('Brews green tea');
    add(root, { 'tea/SKILL.md': skill('tea', 'Brews black tea') });
    await publisher.publish(lease);
    expect(await store.skill(digest())).toBeNull();
    add(root, { 'tea/SKILL.md': skill('tea', 'Brews green tea') });
    await publisher.publish(lease);
    expect((await store.skill(digest()))!.files.map(({ path }) => path)).toEqual(['SKILL.md']);
  });
});
