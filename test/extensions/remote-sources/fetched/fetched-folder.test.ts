import {
  cpSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { FetchedFolder } from '../../../../extensions/remote-sources/fetched/fetched-folder.ts';
import { IncomingContents } from '../../../../extensions/remote-sources/fetched/incoming.ts';
import { plant } from '../../../src/sources/scan/tree.ts';

const NOW = () => new Date('2026-01-01T00:00:00Z');
const LIMITS = { maxSkills: 10, maxBytes: 1_000 };

/** Commits these texts by path, as one fetch. */
async function fill(place: FetchedFolder, texts: Readonly<Record<string, string>>, executable = false) {
  const { contents: last } = await place.repair();
  const incoming = new IncomingContents(last, LIMITS, new AbortController().signal, place.objects);
  for (const [path, text] of Object.entries(texts)) {
    incoming.add(path, await incoming.store(Buffer.from(text), { executable }));
  }
  return await place.commit(incoming.finish({}));
}

function open() {
  const folder = join(plant({}), 'place');
  const again = (key = 'key', name = 'team') => new FetchedFolder(folder, name, key, NOW);
  const place = again();
  const texts = () => {
    const files = readdirSync(place.root, { recursive: true, withFileTypes: true }).filter((entry) =>
      entry.isFile(),
    );
    const paths = files.map((entry) => join(entry.parentPath, entry.name));
    return Object.fromEntries(
      paths.map((path) => [path.slice(place.root.length + 1), readFileSync(path, 'utf8')]).sort(),
    );
  };
  const objects = () =>
    readdirSync(join(folder, 'objects'), { recursive: true, withFileTypes: true }).filter((entry) =>
      entry.isFile(),
    ).length;
  return { folder, place, again, texts, objects };
}

describe('FetchedFolder', () => {
  it('gives each content a unique time, even if the clock stands still', async () => {
    const { place } = open();
    await fill(place, { a: '1', b: '2', c: '3' });
    await fill(place, { a: '1', b: '4', c: '3' });
    const times = ['a', 'b', 'c'].map((name) => lstatSync(join(place.root, name)).mtimeMs);
    expect(new Set(times).size).toBe(3);
  });

  it('restores the last contents if a process died between writing tree and contents', async () => {
    const { folder, place, again, texts } = open();
    await fill(place, { 'a/SKILL.md': 'old', 'b/SKILL.md': 'stays' });
    const before = plant({});
    cpSync(folder, before, { recursive: true, preserveTimestamps: true });
    await fill(again(), { 'a/SKILL.md': 'new', 'c/SKILL.md': 'more' });
    // Contents are written after the tree, and old objects are removed after that.
    for (const name of ['contents.json', 'objects']) {
      cpSync(join(before, name), join(folder, name), { recursive: true, preserveTimestamps: true });
    }
    expect(texts()).toEqual({ 'a/SKILL.md': 'new', 'c/SKILL.md': 'more' });
    expect(await again().repair()).toMatchObject({ repaired: true });
    expect(texts()).toEqual({ 'a/SKILL.md': 'old', 'b/SKILL.md': 'stays' });
    expect(await again().repair()).toMatchObject({ repaired: false });
  });

  it('trusts no file of a tree whose contents.json is lost, even if size and time match', async () => {
    const { folder, place, again, texts } = open();
    await fill(place, { 'a/SKILL.md': 'old' });
    rmSync(join(folder, 'contents.json'));
    // The clock stands still, so the new file has the size and the time of the old one.
    await fill(again(), { 'a/SKILL.md': 'new' });
    expect(texts()).toEqual({ 'a/SKILL.md': 'new' });
  });

  it('gives contents without a damaged object, with an empty version', async () => {
    const { folder, place } = open();
    await fill(place, { a: 'one', b: 'two' });
    const { contents } = await place.repair();
    const object = place.objects.pathOf(contents!.files.get('a')!);
    expect(object.startsWith(join(folder, 'objects'))).toBe(true);
    writeFileSync(object, 'damaged');
    const found = await place.repair();
    expect(found.contents).toMatchObject({ resolved: '', memory: {} });
    expect([...found.contents!.files.keys()]).toEqual(['b']);
  });

  it('removes links from its tree, and never writes through one', async () => {
    const { place, texts } = open();
    const outside = plant({ 'SKILL.md': 'outside' });
    await fill(place, { 'a/SKILL.md': 'tea' });
    renameSync(join(place.root, 'a'), join(place.root, 'moved'));
    symlinkSync(outside, join(place.root, 'a'));
    expect(await place.repair()).toMatchObject({ repaired: true });
    expect(texts()).toEqual({ 'a/SKILL.md': 'tea' });
    expect(readdirSync(outside)).toEqual(['SKILL.md']);
    expect(readFileSync(join(outside, 'SKILL.md'), 'utf8')).toBe('outside');
  });

  it('lets one process in at a time, and waiting ones give up with their signal', async () => {
    const { place, again } = open();
    const order: string[] = [];
    const signal = new AbortController().signal;
    await place.withLock(signal, async () => {
      const waiting = again().withLock(AbortSignal.timeout(250), async () => order.push('second'));
      await expect(waiting).rejects.toThrow();
      order.push('first');
    });
    await again().withLock(signal, async () => order.push('third'));
    expect(order).toEqual(['first', 'third']);
  });
});

describe('IncomingContents', () => {
  const start = (limits = LIMITS) => {
    const { place } = open();
    mkdirSync(join(place.root, '..', '..', 'aside'), { recursive: true });
    return new IncomingContents(null, limits, new AbortController().signal, place.objects);
  };

  it('counts bytes once, as they are stored', async () => {
    const incoming = start({ maxSkills: 1, maxBytes: 10 });
    const file = await incoming.store(Buffer.from('1234'));
    expect(incoming.bytesLeft).toBe(6);
    incoming.add('a', file);
    expect(incoming.bytesLeft).toBe(6);
    incoming.add('b', file);
    expect(incoming.bytesLeft).toBe(2);
    expect(() => incoming.add('c', file)).toThrow('10 bytes');
    await expect(incoming.store(Buffer.from('123'))).rejects.toThrow('10 bytes');
  });

  it('stops a stream when no bytes are left', async () => {
    const incoming = start({ maxSkills: 1, maxBytes: 1_000 });
    let given = 0;
    const endless = async function* () {
      for (;;) {
        given += 1;
        yield Buffer.alloc(100);
      }
    };
    await expect(incoming.store(endless())).rejects.toThrow('1000 bytes');
    expect(given).toBe(11);
  });

  it('reports the first 200 omissions, and how many more there were', () => {
    const incoming = start();
    for (let at = 0; at < 205; at++) incoming.report('entry-special', `a/${at}`, 'A link.', 'Copy it.');
    const { diagnostics } = incoming.finish({});
    expect(diagnostics).toHaveLength(201);
    expect(diagnostics.at(-1)).toMatchObject({
      id: 'entries-more',
      message: '5 more entries were left out.',
    });
  });
});
