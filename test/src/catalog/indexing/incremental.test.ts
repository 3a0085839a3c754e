import { rmSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Directory, readWhole } from '../../../../index/directory/directory.ts';
import { readManifest } from '../../../../index/manifest.ts';
import { Reader } from '../../../../index/reader/reader.ts';
import { compactIndex, readIndexed, runIncremental } from '../../../../src/catalog/indexing/incremental.ts';
import { inProcessWorker } from '../../../../src/catalog/indexing/worker-pool.ts';
import { localSource } from '../../../../src/sources/local.ts';
import { readChangedSubtrees } from '../../../../src/sources/scan/changed-subtree.ts';
import { examples } from '../../../thorough.ts';
import { apply, edit } from '../../sources/scan/edits.ts';
import { add } from '../../sources/scan/tree.ts';
import { interrupted, skill, workshop } from './workshop.ts';

/** A workshop that updates its index with some paths; null where that needs a full run. */
function bench(tree: Parameters<typeof workshop>[0]) {
  const shop = workshop(tree);
  const { root, directory, embedder } = shop;
  const workers = inProcessWorker(directory, embedder);
  const options = { directory, embedder, vectors: 'auto', workers, now: () => 0 } as const;
  return {
    ...shop,
    async runPaths(paths: readonly string[]) {
      const reader = Reader.open(directory, { embedder })!;
      try {
        const part = readChangedSubtrees([localSource({ name: 's', root })], paths, readIndexed(reader));
        return part === null ? null : await runIncremental(part, reader, options);
      } finally {
        reader.close();
      }
    },
  };
}

/** Every live document with its digest, in order. */
function documentsOf(directory: Directory) {
  const reader = Reader.open(directory, { embedder: null })!;
  const documents = Array.from(reader.ordinalsByKey(), (ordinal) => ({
    key: reader.key(ordinal),
    digest: reader.digest(ordinal),
    payload: reader.payload(ordinal),
  }));
  reader.close();
  return documents;
}

/** Keys in order, each with its summary vector. */
async function seenBy(reader: Reader) {
  await reader.openVectors();
  return Array.from(reader.ordinalsByKey(), (ordinal) => [
    reader.key(ordinal),
    [...reader.documentVector(ordinal)],
  ]);
}

const TREE = {
  'pdf/SKILL.md': skill('pdf', 'Fill in forms'),
  'csv/SKILL.md': skill('csv', 'Clean messy tables'),
  'sql/SKILL.md': skill('sql', 'Tune queries'),
};

describe('runIncremental', () => {
  it('embeds only the changed skill, and commits', async () => {
    const { run, root, directory, embedder, runPaths } = bench(TREE);
    await run();
    const { generation } = readManifest(directory)!;
    embedder.embedded.length = 0;
    add(root, { 'pdf/SKILL.md': skill('pdf', 'Sign contracts') });
    const report = await runPaths([join(root, 'pdf/SKILL.md')]);
    expect(report).toMatchObject({ changed: 1, added: 0, removed: 0, skills: 3 });
    expect(report!.generation).toBeGreaterThan(generation);
    expect(embedder.embedded.every((text) => !/tables|queries/.test(text))).toBe(true);
    expect(embedder.embedded.length).toBeGreaterThan(0);
  });

  it('does not merge segments, and reports when `compactIndex` would', async () => {
    const { run, root, directory, embedder, runPaths } = bench(TREE);
    await run();
    add(root, { 'git/SKILL.md': skill('git', 'Bisect history') });
    // One of four documents is late: more than a fifth, from which on all segments are merged.
    expect(await runPaths([join(root, 'git')])).toMatchObject({ added: 1, needsCompaction: true });
    expect(readManifest(directory)!.segments).toHaveLength(2);
    const before = documentsOf(directory);
    const workers = inProcessWorker(directory, embedder);
    await compactIndex({ directory, embedder, vectors: 'auto', workers, now: () => 0 });
    expect(readManifest(directory)!.segments).toHaveLength(1);
    expect(documentsOf(directory)).toEqual(before);
    add(root, { 'git/SKILL.md': skill('git', 'Bisect history') });
    expect(await runPaths([join(root, 'git')])).toMatchObject({ kept: 1, needsCompaction: false });
  });

  it('rewrites a segment of a given age that holds a removed skill, whose text is gone then', async () => {
    const others = Array.from({ length: 20 }, (_, at) => [`s${at}/SKILL.md`, skill(`s${at}`, `Does ${at}`)]);
    const { run, root, directory, embedder, runPaths } = bench({ ...TREE, ...Object.fromEntries(others) });
    await run();
    rmSync(join(root, 'pdf'), { recursive: true });
    expect(await runPaths([join(root, 'pdf')])).toMatchObject({ removed: 1, needsCompaction: false });
    const isHeld = () =>
      directory
        .list()
        .some(
          (name) =>
            name.endsWith('.segment') && Buffer.from(readWhole(directory, name)).includes('Fill in forms'),
        );
    const options = { directory, embedder, vectors: 'auto', now: () => 0 } as const;
    const purge = (before: number) =>
      compactIndex({ ...options, workers: inProcessWorker(directory, embedder) }, before);
    await purge(Date.now() - 60_000);
    expect(isHeld()).toBe(true);
    const before = documentsOf(directory);
    await purge(Date.now() + 1);
    expect(isHeld()).toBe(false);
    expect(documentsOf(directory)).toEqual(before);
    const { generation } = readManifest(directory)!;
    await purge(Date.now() + 1);
    expect(readManifest(directory)!.generation).toBe(generation);
  });

  it('commits nothing where a file was only touched', async () => {
    const { run, root, directory, runPaths } = bench(TREE);
    await run();
    const { generation } = readManifest(directory)!;
    add(root, { 'pdf/SKILL.md': skill('pdf', 'Fill in forms') });
    expect(await runPaths([join(root, 'pdf/SKILL.md')])).toMatchObject({ kept: 1, changed: 0, generation });
  });

  it('needs a full run where another process has committed since', async () => {
    const { run, root, directory, embedder } = bench(TREE);
    await run();
    const reader = Reader.open(directory, { embedder })!;
    rmSync(join(root, 'sql'), { recursive: true });
    const part = readChangedSubtrees(
      [localSource({ name: 's', root })],
      [join(root, 'sql')],
      readIndexed(reader),
    )!;
    await run();
    const workers = inProcessWorker(directory, embedder);
    const options = { directory, embedder, vectors: 'auto', workers, now: () => 0 } as const;
    expect(await runIncremental(part, reader, options)).toBeNull();
    reader.close();
  });

  it('leaves segments of a killed run to a full run, which does not embed them again', async () => {
    const { run, root, directory, embedder, runPaths } = bench(TREE);
    await run();
    add(root, { 'git/SKILL.md': skill('git', 'Bisect'), 'tar/SKILL.md': skill('tar', 'Unpack') });
    await expect(run({ workers: interrupted(inProcessWorker(directory, embedder)) })).rejects.toThrow(
      'killed',
    );
    embedder.embedded.length = 0;
    add(root, { 'pdf/SKILL.md': skill('pdf', 'Sign contracts') });
    expect(await runPaths([join(root, 'pdf/SKILL.md')])).toBeNull();
    expect(await run()).toMatchObject({ added: 2, changed: 1, skills: 5 });
    expect(embedder.embedded.some((text) => /contracts/.test(text))).toBe(true);
    expect(embedder.embedded.some((text) => /Bisect|Unpack/.test(text))).toBe(false);
  });

  it('is followed by a full run that finds nothing changed', async () => {
    const { run, root, runPaths } = bench(TREE);
    await run();
    add(root, { 'pdf/SKILL.md': skill('pdf', 'Sign contracts') });
    rmSync(join(root, 'sql'), { recursive: true });
    await runPaths([join(root, 'pdf/SKILL.md'), join(root, 'sql')]);
    expect(await run()).toMatchObject({ added: 0, changed: 0, removed: 0, kept: 2 });
  });

  it('gives, after any edits, the same index as one built from scratch', async () => {
    const rounds = fc.array(fc.array(edit, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(rounds, async (all) => {
        const { run, root, directory, embedder, runPaths } = bench({});
        await run();
        let before: Reader | null = null;
        for (const edits of all) {
          const paths = edits.flatMap((one) => apply(root, one));
          if ((await runPaths(paths)) === null) await run();
          const fresh = workshop({});
          await fresh.run({ from: root });
          expect(documentsOf(directory)).toEqual(documentsOf(fresh.directory));
          // A reader that reuses data of its predecessor holds the same as one that reads it.
          const next: Reader = Reader.open(directory, { embedder }, before)!;
          before?.close();
          before = next;
          const alone = Reader.open(directory, { embedder })!;
          expect(await seenBy(next)).toEqual(await seenBy(alone));
          alone.close();
        }
        before?.close();
      }),
      { numRuns: examples(40) },
    );
  });
});
