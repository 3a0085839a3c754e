import { rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { readManifest } from '../../../../index/manifest.ts';
import { indexDirectory } from '../../../../src/catalog/index-directory.ts';
import {
  type BackgroundSetting,
  BackgroundThread,
} from '../../../../src/catalog/indexing/background-indexing.ts';
import { endWithTest } from '../../../end-with-test.ts';
import { skill } from '../../gateway/test-library.ts';
import { add, plant } from '../../sources/scan/tree.ts';

const root = resolve(import.meta.dirname, '../../../..');
const entry = pathToFileURL(join(root, 'dist/background.js'));

function over(tree: Record<string, string>) {
  const skills = plant(tree);
  const indexFolder = plant({});
  const setting: BackgroundSetting = {
    indexFolder,
    embedder: undefined,
    modelsFolder: join(root, 'models'),
    sources: [{ name: 's', root: skills }],
    vectors: 'exact',
    qualifyIds: false,
    lowPriority: true,
    threads: 2,
  };
  const background = new BackgroundThread(entry, setting);
  endWithTest(() => background.close());
  return { skills, background, directory: indexDirectory(indexFolder) };
}

const TWO = {
  'pdf/SKILL.md': skill('pdf', 'Fill in forms'),
  'csv/SKILL.md': skill('csv', 'Clean messy tables'),
};

describe('the built background thread', () => {
  it('indexes, then finds nothing to do, then finds added and removed skills', async () => {
    const { skills, background, directory } = over(TWO);
    const stages = new Set<string>();
    expect(await background.run({ onProgress: ({ stage }) => stages.add(stage) })).toMatchObject({
      added: 2,
      skills: 2,
    });
    expect([...stages]).toContain('read');
    expect(await background.run({})).toBeNull();
    add(skills, { 'sql/SKILL.md': skill('sql', 'Tune queries') });
    rmSync(join(skills, 'pdf'), { recursive: true });
    const report = await background.run({});
    expect(report).toMatchObject({ added: 1, removed: 1, kept: 1, skills: 2 });
    expect(readManifest(directory)?.generation).toBe(report?.generation);
  });

  it('releases the lock when it is closed during a run, and does not run again', async () => {
    const many = Array.from({ length: 400 }, (_, at) => [`s${at}/SKILL.md`, skill(`s${at}`, `Do ${at}`)]);
    const { background, directory } = over(Object.fromEntries(many));
    let begin = () => {};
    const begun = new Promise<void>((resolve) => {
      begin = resolve;
    });
    const run = background.run({ onProgress: begin }).catch((error: unknown) => error);
    await begun;
    await background.close();
    await run;
    // At once: a stale lock would expire only after ten seconds.
    await (await directory.lock(0))();
    await expect(background.run({})).rejects.toThrow('has been closed');
  });

  it('waits for another writer', async () => {
    const { background, directory } = over(TWO);
    const unlock = await directory.lock(0);
    setTimeout(() => void unlock(), 500);
    expect(await background.run({})).toMatchObject({ added: 2 });
  });
});
