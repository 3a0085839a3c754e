import { chmodSync, cpSync, rmSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Directory, readWhole, writeWhole } from '../../../../index/directory/directory.ts';
import { memoryDirectory } from '../../../../index/directory/memory.ts';
import { IndexError } from '../../../../index/errors.ts';
import { readManifest } from '../../../../index/manifest.ts';
import { indexDirectory } from '../../../../src/catalog/index-directory.ts';
import { isUpToDate } from '../../../../src/catalog/indexing/baseline.ts';
import type { Progress } from '../../../../src/catalog/indexing/report.ts';
import { inProcessWorker, type WorkerPool } from '../../../../src/catalog/indexing/worker-pool.ts';
import { localSource } from '../../../../src/sources/local.ts';
import { readCatalog } from '../../../../src/sources/scan/catalog.ts';
import { needsPackage } from '../../../needs.ts';
import { add, plant } from '../../sources/scan/tree.ts';
import { interrupted, skill, workshop } from './workshop.ts';

const TREE = {
  'pdf/SKILL.md': skill('pdf', 'Fill in forms'),
  'csv/SKILL.md': skill('csv', 'Clean tables'),
  'sql/SKILL.md': skill('sql', 'Tune queries'),
};
const NONE = { added: 0, changed: 0, removed: 0, kept: 0, empty: 0 };

describe('runIndexing', () => {
  it('reports what was added, and then no work and no new generation', async () => {
    const { run, embedder, entries } = workshop(TREE);
    // A card and a body passage each.
    expect(await run()).toMatchObject({
      ...NONE,
      skills: 3,
      passages: 6,
      added: 3,
      generation: 1,
      restarted: null,
    });
    const embedded = embedder.embedded.length;
    expect(await run()).toMatchObject({ ...NONE, skills: 3, kept: 3, generation: 1 });
    expect(embedder.embedded).toHaveLength(embedded);
    expect(Object.keys(entries())).toEqual(['csv', 'pdf', 'sql']);
  });

  it('builds changed skills, drops removed ones, keeps the rest, and embeds only what it builds', async () => {
    const { run, root, embedder, entries } = workshop(TREE);
    await run();
    embedder.embedded.length = 0;
    add(root, { 'pdf/SKILL.md': skill('pdf', 'Sign contracts'), 'git/SKILL.md': skill('git', 'Bisect') });
    rmSync(join(root, 'sql'), { recursive: true });
    expect(await run()).toMatchObject({ ...NONE, skills: 3, added: 1, changed: 1, removed: 1, kept: 1 });
    expect(embedder.embedded.some((text) => text.includes('Clean tables'))).toBe(false);
    expect(entries()).toMatchObject({ pdf: { description: 'Sign contracts' }, csv: {}, git: {} });
  });

  it('keeps skills that were touched without a change, and does not open them again', async () => {
    const { run, root, embedder } = workshop(TREE);
    await run();
    embedder.embedded.length = 0;
    utimesSync(join(root, 'pdf/SKILL.md'), 1, 1);
    expect(await run()).toMatchObject({ ...NONE, kept: 3, generation: 1 });
    expect(embedder.embedded).toEqual([]);
  });

  it('reindexes folders that moved, even if no file changed', async () => {
    const { run, root, entries } = workshop(TREE);
    await run();
    const moved = plant({});
    cpSync(root, moved, { recursive: true, preserveTimestamps: true });
    expect(await run({ from: moved })).toMatchObject({ ...NONE, changed: 3 });
    expect(entries().pdf?.folder).toBe(join(moved, 'pdf'));
  });

  it('counts a disabled skill as empty each time, drops it, and adds it again once enabled', async () => {
    const { run, root, entries } = workshop(TREE);
    await run();
    add(root, { 'pdf/SKILL.md': skill('pdf', 'Fill in forms', 'enabled: false\n') });
    expect(await run()).toMatchObject({ ...NONE, removed: 1, kept: 2, empty: 1, skills: 2 });
    expect(await run()).toMatchObject({ ...NONE, kept: 2, empty: 1, skills: 2 });
    expect(Object.keys(entries())).toEqual(['csv', 'sql']);
    add(root, { 'pdf/SKILL.md': skill('pdf', 'Fill in forms') });
    expect(await run()).toMatchObject({ ...NONE, added: 1, kept: 2, skills: 3 });
  });

  it.skipIf(process.getuid?.() === 0)('takes in a file that could not be read once it can be', async () => {
    const { run, root } = workshop(TREE);
    chmodSync(join(root, 'pdf/SKILL.md'), 0);
    const report = await run();
    expect(report).toMatchObject({ ...NONE, added: 2, empty: 1 });
    expect(report.diagnostics).toMatchObject([{ skill: 'pdf', diagnostic: { id: 'file-unreadable' } }]);
    chmodSync(join(root, 'pdf/SKILL.md'), 0o644);
    expect(await run()).toMatchObject({ ...NONE, added: 1, kept: 2 });
  });

  it('reports progress, each stage up to its total', async () => {
    const reports: Progress[] = [];
    const { run } = workshop(TREE);
    await run({ onProgress: (progress) => reports.push(progress) });
    expect(reports[0]).toEqual({ stage: 'read', done: 0, total: 3 });
    expect(reports.at(-1)).toEqual({ stage: 'read', done: 3, total: 3 });
  });

  it('merges many small segments and keeps the files of one generation', async () => {
    const { run, root, directory, entries } = workshop(TREE);
    for (let at = 0; at < 4; at += 1) {
      add(root, { [`n${at}/SKILL.md`]: skill(`n${at}`, `Number ${at}`) });
      await run();
    }
    const { segments } = readManifest(directory)!;
    // The fourth run leaves 3 of 7 documents outside the first segment: more than a fifth is merged at once.
    expect(segments.length).toBeLessThan(4);
    expect(Object.keys(entries())).toHaveLength(7);
    expect(directory.list().filter((name) => name.endsWith('.segment'))).toHaveLength(segments.length);
  });
});

describe('after an interrupted run', () => {
  it('adopts finished segments without embedding again, and counts them as added', async () => {
    const { run, root, directory, embedder, entries } = workshop(TREE);
    await run();
    add(root, { 'pdf/SKILL.md': skill('pdf', 'Sign contracts'), 'git/SKILL.md': skill('git', 'Bisect') });
    const workers = interrupted(inProcessWorker(directory, embedder));
    await expect(run({ workers })).rejects.toThrow('killed');
    expect(entries().pdf?.description).toBe('Fill in forms');
    embedder.embedded.length = 0;
    expect(await run()).toMatchObject({ ...NONE, skills: 4, added: 1, changed: 1, kept: 2 });
    expect(embedder.embedded).toEqual([]);
    expect(entries().pdf?.description).toBe('Sign contracts');
  });

  it('rebuilds skills that changed since, and drops removed ones', async () => {
    const { run, root, directory, embedder, entries } = workshop(TREE);
    const workers = interrupted(inProcessWorker(directory, embedder));
    await expect(run({ workers })).rejects.toThrow('killed');
    add(root, { 'pdf/SKILL.md': skill('pdf', 'Sign contracts') });
    rmSync(join(root, 'sql'), { recursive: true });
    expect(await run()).toMatchObject({ ...NONE, skills: 2, added: 2 });
    expect(entries()).toMatchObject({ pdf: { description: 'Sign contracts' }, csv: {} });
    expect(Object.keys(entries())).toEqual(['csv', 'pdf']);
  });

  it('follows folders back to an older state, although a leftover segment is newer', async () => {
    const { run, root, directory, embedder, entries } = workshop(TREE);
    await run();
    add(root, { 'pdf/SKILL.md': skill('pdf', 'Sign contracts') });
    await expect(run({ workers: interrupted(inProcessWorker(directory, embedder)) })).rejects.toThrow(
      'killed',
    );
    add(root, { 'pdf/SKILL.md': skill('pdf', 'Fill in forms') });
    expect(await run()).toMatchObject({ ...NONE, kept: 3 });
    expect(entries().pdf?.description).toBe('Fill in forms');
  });
});

describe('where the index is damaged', () => {
  it('rebuilds the index and reports why, also where the damage shows during the run', async () => {
    const { run, root, directory, entries } = workshop(TREE);
    await run();
    const name = directory.list().find((file) => file.endsWith('.segment'))!;
    const bytes = readWhole(directory, name);
    const at = Buffer.from(bytes).indexOf('csvpdfsql');
    expect(at).toBeGreaterThan(0);
    bytes[at]! ^= 1;
    writeWhole(directory, name, bytes);
    add(root, { 'git/SKILL.md': skill('git', 'Bisect') });
    const report = await run();
    expect(report).toMatchObject({ ...NONE, skills: 4, added: 4 });
    expect(report.restarted).toMatch(/keys fails its checksum/);
    expect(Object.keys(entries())).toEqual(['csv', 'git', 'pdf', 'sql']);
  });

  it('reports a failing disk and releases the lock', async () => {
    const inner = memoryDirectory();
    let full = true;
    const directory: Directory = {
      ...inner,
      create(name) {
        if (full) throw new IndexError('INDEX_WRITE', 'The disk is full.');
        return inner.create(name);
      },
    };
    const { run } = workshop(TREE, directory);
    await expect(run()).rejects.toMatchObject({ code: 'INDEX_WRITE' });
    full = false;
    expect(await run()).toMatchObject({ added: 3 });
  });

  it('awaits active tasks when one fails, and begins no further one', async () => {
    const many = Array.from({ length: 400 }, (_, at) => [`s${at}/SKILL.md`, skill(`s${at}`, 'Some text')]);
    const { run } = workshop(Object.fromEntries(many));
    let begun = 0;
    let ended = 0;
    // The first of two fails at once while the second is still writing.
    const workers: WorkerPool = {
      size: 2,
      async perform() {
        begun += 1;
        if (begun === 1) throw new IndexError('INDEX_WRITE', 'The disk is full.');
        await new Promise((resolve) => setTimeout(resolve, 20));
        ended += 1;
        throw new IndexError('INDEX_WRITE', 'The disk is still full.');
      },
      async close() {},
    };
    await expect(run({ workers })).rejects.toThrow('The disk is full.');
    expect([begun, ended]).toEqual([2, 1]);
  });
});

describe('isUpToDate', () => {
  it('is true only for the catalog of the last run', async () => {
    const { run, root, directory } = workshop(TREE, indexDirectory(plant({})));
    const catalog = () => readCatalog([localSource({ name: 's', root })]);
    await run();
    const manifest = readManifest(directory)!;
    expect(await isUpToDate(directory, manifest, await catalog(), 'auto')).toBe(true);
    expect(await isUpToDate(directory, { ...manifest, recipe: 'another' }, await catalog(), 'auto')).toBe(
      false,
    );
    expect(await isUpToDate(directory, { ...manifest, generation: 9 }, await catalog(), 'auto')).toBe(false);
    const renamed = await readCatalog([localSource({ name: 'other', root })]);
    expect(await isUpToDate(directory, manifest, renamed, 'auto')).toBe(false);
    add(root, { 'pdf/notes.md': 'New' });
    expect(await isUpToDate(directory, manifest, await catalog(), 'auto')).toBe(false);
    writeWhole(directory, 'catalog.json', new TextEncoder().encode('{}'));
    expect(await isUpToDate(directory, manifest, await catalog(), 'auto')).toBe(false);
  });
  it('is false if a graph is wanted and there is none', needsPackage('hnswlib-node'), async () => {
    const { run, root, directory } = workshop(TREE, indexDirectory(plant({})));
    await run();
    const catalog = await readCatalog([localSource({ name: 's', root })]);
    expect(await isUpToDate(directory, readManifest(directory)!, catalog, 'hnsw')).toBe(false);
  });
  it('requires no graph where none can be built', async () => {
    const { run, root, directory } = workshop(TREE);
    expect(directory.pathOf('any')).toBeNull();
    await run({ vectors: 'hnsw' });
    const catalog = await readCatalog([localSource({ name: 's', root })]);
    expect(await isUpToDate(directory, readManifest(directory)!, catalog, 'hnsw')).toBe(true);
  });
});
