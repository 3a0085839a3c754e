/** The contract of every IndexStore, run for each implementation. */

import { createHash, randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { IndexStore, Lease } from '../../extensions/postgres/index-store.ts';

const LINE = '9 toy/model';
const LONG_MS = 60_000;

const objectOf = (bytes: Uint8Array) => ({
  sha256: createHash('sha256').update(bytes).digest('hex'),
  size: bytes.length,
  chunks: () => [bytes.subarray(0, 1), bytes.subarray(1)],
});

const textObject = (text: string) => objectOf(Buffer.from(text));
const file = (name: string, text: string) => {
  const { sha256, size } = textObject(text);
  return { name, sha256, size };
};

/** The object, whose pieces come in order, and each once the one before has been taken. */
async function fetched(store: IndexStore, object: { sha256: string; size: number }): Promise<Uint8Array> {
  const bytes = new Uint8Array(object.size);
  let end = 0;
  await store.fetch(object, async (position, chunk) => {
    expect(position).toBe(end);
    bytes.set(chunk, position);
    await sleep(1);
    expect(Buffer.compare(bytes.subarray(position, position + chunk.length), chunk)).toBe(0);
    end += chunk.length;
  });
  expect(end).toBe(object.size);
  return bytes;
}

async function leaseOf(store: IndexStore, holder = 'a', ttlMs = LONG_MS): Promise<Lease> {
  const lease = await store.acquire(LINE, holder, ttlMs);
  if (lease === null) throw new Error('The lease is taken.');
  return lease;
}

async function published(store: IndexStore, lease: Lease, texts: readonly string[]) {
  await store.addObjects(texts.map(textObject));
  const files = texts.map((text, at) => file(`${at}.segment`, text));
  const before = await store.newest(LINE);
  return store.publish(lease, before?.version ?? null, {
    generation: (before?.generation ?? 0) + 1,
    files,
  });
}

/** `again` opens the same store a second time, as another gateway. */
export function indexStoreContract(
  fresh: () => Promise<{ store: IndexStore; again: () => IndexStore }>,
): void {
  it('is empty before the first publication', async () => {
    const { store } = await fresh();
    expect(await store.newest(LINE)).toBeNull();
    expect(await store.skill('0'.repeat(64))).toBeNull();
    expect(await store.hasObjects(['0'.repeat(64)])).toEqual(new Set());
    expect(await store.status()).toEqual({ lines: [], skills: 0, objects: 0, bytes: 0 });
  });

  it('returns the bytes of an object, whatever its size', async () => {
    const { store, again } = await fresh();
    const sizes = fc.constantFrom(0, 1, 1_000, 2 ** 20 - 1, 2 ** 20, 2 ** 20 + 1, 5 * 2 ** 20 + 7);
    await fc.assert(
      fc.asyncProperty(sizes, fc.nat(250), async (size, start) => {
        const bytes = Uint8Array.from({ length: size }, (_, at) => start + at * 7);
        const object = objectOf(bytes);
        await store.addObjects([object, object]);
        expect(Buffer.compare(await fetched(again(), object), bytes)).toBe(0);
        expect(await store.hasObjects([object.sha256])).toEqual(new Set([object.sha256]));
      }),
      { numRuns: 5 },
    );
  });

  it('ends a fetch whose bytes cannot be written, and writes none of them after that', async () => {
    const { store } = await fresh();
    const object = objectOf(randomBytes(14 * 2 ** 20));
    await store.addObjects([object]);
    let writes = 0;
    const fetching = store.fetch(object, async () => {
      writes += 1;
      await sleep(1);
      if (writes === 2) throw new Error('The disk is full.');
    });
    await expect(fetching).rejects.toThrow('The disk is full.');
    await sleep(50);
    expect(writes).toBe(2);
  });

  it('adds many small objects at once, and refuses to fetch one that it does not have', async () => {
    const { store } = await fresh();
    const objects = Array.from({ length: 1_200 }, (_, at) => textObject(`object ${at}`));
    await store.addObjects(objects);
    expect((await store.hasObjects(objects.map(({ sha256 }) => sha256))).size).toBe(1_200);
    expect(Buffer.from(await fetched(store, objects[1_199]!)).toString()).toBe('object 1199');
    await expect(fetched(store, textObject('another'))).rejects.toMatchObject({ code: 'STORE_DAMAGED' });
  });

  it('shows a generation to every gateway once it is published, newest first', async () => {
    const { store, again } = await fresh();
    const lease = await leaseOf(store);
    const first = await published(store, lease, ['one']);
    expect(await again().newest(LINE)).toEqual(first);
    const second = await published(store, lease, ['one', 'two']);
    expect(await again().newest(LINE)).toEqual(second);
    expect(second).toMatchObject({ version: first.version + 1, generation: 2 });
    expect(second.files.map(({ name, size }) => [name, size])).toEqual([
      ['0.segment', 3],
      ['1.segment', 3],
    ]);
    expect(await store.newest('10 toy/model')).toBeNull();
  });

  it('publishes nothing whose objects it lacks', async () => {
    const { store } = await fresh();
    const lease = await leaseOf(store);
    const next = { generation: 1, files: [file('a.segment', 'never added')] };
    await expect(store.publish(lease, null, next)).rejects.toMatchObject({ code: 'STORE_DAMAGED' });
    expect(await store.newest(LINE)).toBeNull();
  });

  it('refuses to continue a generation that is not the newest', async () => {
    const { store } = await fresh();
    const lease = await leaseOf(store);
    const { version } = await published(store, lease, ['one']);
    const next = { generation: 2, files: [file('0.segment', 'one')] };
    for (const expected of [null, version - 1, version + 1])
      await expect(store.publish(lease, expected, next)).rejects.toMatchObject({ code: 'STORE_CONFLICT' });
    await expect(store.publish(lease, version, next)).resolves.toMatchObject({ version: version + 1 });
  });

  it('gives the lease to one gateway at a time, until it is released or expires', async () => {
    const { store, again } = await fresh();
    const other = again();
    const lease = await leaseOf(store, 'a', LONG_MS);
    expect(await other.acquire(LINE, 'b', LONG_MS)).toBeNull();
    expect(await other.acquire('10 toy/model', 'b', LONG_MS)).not.toBeNull();
    expect(await store.renew(lease, LONG_MS)).toBe(true);
    await store.release(lease);
    const next = await leaseOf(other, 'b', 1);
    expect(next.fence).toBeGreaterThan(lease.fence);
    await expect.poll(() => store.acquire(LINE, 'a', LONG_MS)).not.toBeNull();
    expect(await other.renew(next, LONG_MS)).toBe(false);
  });

  it('gives a free lease to exactly one of several that ask at once', async () => {
    const { again } = await fresh();
    const taken = await Promise.all(
      Array.from({ length: 6 }, (_, at) => again().acquire(LINE, `gateway ${at}`, LONG_MS)),
    );
    expect(taken.filter((lease) => lease !== null)).toHaveLength(1);
  });

  it('refuses a writer that lost the lease, also before its successor has published', async () => {
    const { store, again } = await fresh();
    const lost = await leaseOf(store, 'a', 1);
    const { version } = await published(store, lost, ['one']);
    const other = again();
    await expect.poll(() => other.acquire(LINE, 'b', LONG_MS)).not.toBeNull();
    const next = { generation: 2, files: [file('0.segment', 'one')] };
    for (const expected of [version, version + 1])
      await expect(store.publish(lost, expected, next)).rejects.toMatchObject({ code: 'STORE_FENCED' });
    await store.release(lost);
    expect(await again().acquire(LINE, 'c', LONG_MS)).toBeNull();
  });

  it('keeps the files of skills by digest', async () => {
    const { store, again } = await fresh();
    const body = textObject('body');
    const skill = {
      digest: 'd'.repeat(64),
      files: [
        { path: 'SKILL.md', size: 4, kind: 'skill' as const, sha256: body.sha256 },
        { path: 'assets/large.bin', size: 10 ** 9, kind: 'asset' as const, sha256: null },
      ],
    };
    await expect(store.addSkills([skill])).rejects.toMatchObject({ code: 'STORE_DAMAGED' });
    expect(await store.skill(skill.digest)).toBeNull();
    await store.addObjects([body]);
    await store.addSkills([skill, skill]);
    expect(await again().skill(skill.digest)).toEqual(skill);
    expect(await store.hasSkills([skill.digest, 'e'.repeat(64)])).toEqual(new Set([skill.digest]));
  });

  it('notifies other gateways of a publication', async () => {
    const { store, again } = await fresh();
    let notices = 0;
    const stop = again().onChange(() => {
      notices += 1;
    });
    const lease = await leaseOf(store);
    // A listener that connects after the first one hears of the next one.
    await expect
      .poll(
        async () => {
          await published(store, lease, [`text ${notices}`]);
          return notices;
        },
        { interval: 200 },
      )
      .toBeGreaterThan(0);
    stop();
  });

  it('says what it holds', async () => {
    const { store } = await fresh();
    const lease = await leaseOf(store, 'gateway-1');
    const { version } = await published(store, lease, ['one', 'three']);
    await store.addObjects([textObject('unused')]);
    expect(await store.status()).toMatchObject({
      lines: [{ line: LINE, version, generation: 1, bytes: 8, writer: 'gateway-1', fence: lease.fence }],
      skills: 0,
      objects: 3,
      bytes: 14,
    });
    await store.release(lease);
    expect((await store.status()).lines[0]?.writer).toBeNull();
  });

  it('removes what no kept generation and no live skill names, and nothing that is new', async () => {
    const { store } = await fresh();
    const lease = await leaseOf(store);
    for (const texts of [['old'], ['middle'], ['new']]) await published(store, lease, texts);
    const [used, unused] = [textObject('used file'), textObject('unused file')];
    await store.addObjects([used, unused]);
    const skillOf = (digest: string, { sha256, size }: { sha256: string; size: number }) => ({
      digest,
      files: [{ path: 'SKILL.md', size, kind: 'skill' as const, sha256 }],
    });
    await store.addSkills([skillOf('a'.repeat(64), used), skillOf('b'.repeat(64), unused)]);
    const liveSkills = ['a'.repeat(64)];
    expect(await store.collect({ keep: 10, liveSkills, graceMs: LONG_MS })).toEqual({
      generations: 0,
      skills: 0,
      objects: 0,
      bytes: 0,
    });
    // The texts `old` (3 bytes) and `unused file` (11) go; `middle` and `new` are the kept generations.
    await expect
      .poll(async () => {
        await store.collect({ keep: 2, liveSkills, graceMs: 1 });
        return (await store.status()).objects;
      })
      .toBe(3);
    expect(await store.skill('b'.repeat(64))).toBeNull();
    expect(Buffer.from(await fetched(store, used)).toString()).toBe('used file');
    expect((await store.newest(LINE))?.generation).toBe(3);
  });
}
