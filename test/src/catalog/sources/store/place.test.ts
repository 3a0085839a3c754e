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
import { Intake } from '../../../../../src/catalog/sources/store/intake.ts';
import { Place } from '../../../../../src/catalog/sources/store/place.ts';
import { plant } from '../../tree.ts';

const NOW = () => new Date('2026-01-01T00:00:00Z');
const LIMITS = { maxSkills: 10, maxBytes: 1_000 };

/** Commits these texts by path, as one fetch. */
async function fill(place: Place, texts: Readonly<Record<string, string>>, executable = false) {
  const { contents: last } = await place.mended();
  const intake = new Intake(last, LIMITS, new AbortController().signal, place.objects);
  for (const [path, text] of Object.entries(texts)) {
    intake.add(path, await intake.store(Buffer.from(text), { executable }));
  }
  return await place.commit(intake.finish({}));
}

function open() {
  const folder = join(plant({}), 'place');
  const again = (key = 'key', name = 'team') => new Place(folder, name, key, NOW);
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

describe('Place', () => {
  it('has nothing at first', async () => {
    const { place } = open();
    expect([place.state(), place.contents()]).toEqual([null, null]);
    expect(await place.mended()).toEqual({ contents: null, mended: false });
  });

  it('holds what was committed, and each content once', async () => {
    const { place, texts, objects } = open();
    expect(await fill(place, { 'a/SKILL.md': 'tea', 'b/SKILL.md': 'tea', 'c/x': 'pot' })).toBe(true);
    expect(texts()).toEqual({ 'a/SKILL.md': 'tea', 'b/SKILL.md': 'tea', 'c/x': 'pot' });
    expect(objects()).toBe(2);
    expect(await fill(place, { 'a/SKILL.md': 'tea', 'b/SKILL.md': 'tea', 'c/x': 'pot' })).toBe(false);
    expect(await fill(place, { 'c/x': 'pot' })).toBe(true);
    expect(objects()).toBe(1);
  });

  it('makes folders of files and files of folders', async () => {
    const { place, texts } = open();
    for (const files of [{ 'a/b/c': '1' }, { 'a/b': '2' }, { a: '3' }, { 'a/b/c/d': '4' }]) {
      await fill(place, files);
      expect(texts()).toEqual(files);
    }
  });

  it('keeps one content in two modes apart', async () => {
    const { place } = open();
    await fill(place, { a: 'same' });
    const { contents } = await place.mended();
    const intake = new Intake(contents, LIMITS, new AbortController().signal, place.objects);
    intake.add('a', await intake.store(Buffer.from('same')));
    intake.add('b', await intake.store(Buffer.from('same'), { executable: true }));
    await place.commit(intake.finish({}));
    const modes = ['a', 'b'].map((name) => lstatSync(join(place.root, name)).mode & 0o777);
    expect(modes).toEqual([0o644, 0o755]);
  });

  it('gives each content a time of its own, though the clock stands still', async () => {
    const { place } = open();
    await fill(place, { a: '1', b: '2', c: '3' });
    await fill(place, { a: '1', b: '4', c: '3' });
    const times = ['a', 'b', 'c'].map((name) => lstatSync(join(place.root, name)).mtimeMs);
    expect(new Set(times).size).toBe(3);
  });

  it('puts back what was there where a process died between tree and contents', async () => {
    const { folder, place, again, texts } = open();
    await fill(place, { 'a/SKILL.md': 'old', 'b/SKILL.md': 'stays' });
    const before = plant({});
    cpSync(folder, before, { recursive: true, preserveTimestamps: true });
    await fill(again(), { 'a/SKILL.md': 'new', 'c/SKILL.md': 'more' });
    // Contents are written after the tree, and old objects removed after that.
    for (const name of ['contents.json', 'objects']) {
      cpSync(join(before, name), join(folder, name), { recursive: true, preserveTimestamps: true });
    }
    expect(texts()).toEqual({ 'a/SKILL.md': 'new', 'c/SKILL.md': 'more' });
    expect(await again().mended()).toMatchObject({ mended: true });
    expect(texts()).toEqual({ 'a/SKILL.md': 'old', 'b/SKILL.md': 'stays' });
    expect(await again().mended()).toMatchObject({ mended: false });
  });

  it('trusts no file of a tree whose contents are lost, though size and time fit', async () => {
    const { folder, place, again, texts } = open();
    await fill(place, { 'a/SKILL.md': 'old' });
    rmSync(join(folder, 'contents.json'));
    // The clock stands still, so the new file has the size and the time of the old one.
    await fill(again(), { 'a/SKILL.md': 'new' });
    expect(texts()).toEqual({ 'a/SKILL.md': 'new' });
  });

  it('tells contents that lack an object, without it and resolved to nothing', async () => {
    const { folder, place } = open();
    await fill(place, { a: 'one', b: 'two' });
    const { contents } = await place.mended();
    const object = place.objects.pathOf(contents!.files.get('a')!);
    expect(object.startsWith(join(folder, 'objects'))).toBe(true);
    writeFileSync(object, 'damaged');
    const found = await place.mended();
    expect(found.contents).toMatchObject({ resolved: '', memory: {} });
    expect([...found.contents!.files.keys()]).toEqual(['b']);
  });

  it('removes links from its tree, and never writes through one', async () => {
    const { place, texts } = open();
    const outside = plant({ 'SKILL.md': 'outside' });
    await fill(place, { 'a/SKILL.md': 'tea' });
    renameSync(join(place.root, 'a'), join(place.root, 'moved'));
    symlinkSync(outside, join(place.root, 'a'));
    expect(await place.mended()).toMatchObject({ mended: true });
    expect(texts()).toEqual({ 'a/SKILL.md': 'tea' });
    expect(readdirSync(outside)).toEqual(['SKILL.md']);
    expect(readFileSync(join(outside, 'SKILL.md'), 'utf8')).toBe('outside');
  });

  it('drops what was fetched for another key, and moves with the source’s name', async () => {
    const { folder, place, again } = open();
    await fill(place, { 'a/SKILL.md': 'tea' });
    expect(again('other').contents()).toBeNull();
    const renamed = again('key', 'crew');
    await renamed.mended();
    expect(readdirSync(join(folder, 'tree'))).toEqual(['crew']);
  });

  it('lets one process in at a time, and those who wait give up with their signal', async () => {
    const { place, again } = open();
    const order: string[] = [];
    const signal = new AbortController().signal;
    await place.alone(signal, async () => {
      const waiting = again().alone(AbortSignal.timeout(250), async () => order.push('second'));
      await expect(waiting).rejects.toThrow();
      order.push('first');
    });
    await again().alone(signal, async () => order.push('third'));
    expect(order).toEqual(['first', 'third']);
  });
});

describe('Intake', () => {
  const start = (limits = LIMITS) => {
    const { place } = open();
    mkdirSync(join(place.root, '..', '..', 'aside'), { recursive: true });
    return new Intake(null, limits, new AbortController().signal, place.objects);
  };

  it('counts bytes as they are stored, and once', async () => {
    const intake = start({ maxSkills: 1, maxBytes: 10 });
    const file = await intake.store(Buffer.from('1234'));
    expect(intake.room).toBe(6);
    intake.add('a', file);
    expect(intake.room).toBe(6);
    intake.add('b', file);
    expect(intake.room).toBe(2);
    expect(() => intake.add('c', file)).toThrow('10 bytes');
    await expect(intake.store(Buffer.from('123'))).rejects.toThrow('10 bytes');
  });

  it('stops a stream where the bytes are used up', async () => {
    const intake = start({ maxSkills: 1, maxBytes: 1_000 });
    let given = 0;
    const endless = async function* () {
      for (;;) {
        given += 1;
        yield Buffer.alloc(100);
      }
    };
    await expect(intake.store(endless())).rejects.toThrow('1000 bytes');
    expect(given).toBe(11);
  });

  it('refuses one path twice, and more skills than allowed', async () => {
    const intake = start({ maxSkills: 1, maxBytes: 100 });
    const file = await intake.store(Buffer.from('x'));
    intake.add('a/SKILL.md', file);
    expect(() => intake.add('a/SKILL.md', file)).toThrow('twice');
    intake.add('b/SKILL.md', file);
    expect(() => intake.finish({})).toThrow('2 skills');
  });

  it('tells the first 200 things that were left out, and how many more there were', () => {
    const intake = start();
    for (let at = 0; at < 205; at++) intake.report('entry-special', `a/${at}`, 'A link.', 'Copy it.');
    const { diagnostics } = intake.finish({});
    expect(diagnostics).toHaveLength(201);
    expect(diagnostics.at(-1)).toMatchObject({
      id: 'entries-more',
      message: '5 more entries were left out.',
    });
  });
});
